#include "tests/sim/job/society.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace oriel::sim {

society* society::current_ = nullptr;

society::society(scheduler& run, int ranks, nanoseconds latest)
    : run_(run), latest_(latest), members_(static_cast<std::size_t>(ranks)) {
  current_ = this;
}

society::~society() {
  current_ = nullptr;
}

bool society::gather(int rank, const void* mine, std::size_t bytes, void* all) {
  run_.step("meets the others");
  auto& parts = members_[static_cast<std::size_t>(rank)].parts;
  const std::size_t turn = parts.size();
  const auto* const first = static_cast<const std::byte*>(mine);
  parts.emplace_back(first, first + bytes);
  run_.wake(this);
  for (std::size_t r = 0; r < members_.size(); ++r) {
    const member& other = members_[r];
    while (other.parts.size() <= turn) {
      if (other.left || !run_.alive(static_cast<int>(r))) return false;
      run_.sleep("waits for the others", this, std::chrono::milliseconds(2));
    }
    std::copy(other.parts[turn].begin(), other.parts[turn].end(),
              static_cast<std::byte*>(all) + r * bytes);
  }
  return true;
}

void society::leave(int rank) noexcept {
  member& m = members_[static_cast<std::size_t>(rank)];
  if (!std::exchange(m.left, true)) left_.push_back(rank);
  m.left_at = run_.now();
  run_.wake(this);
}

sessions::fate society::found(int rank, int of) {
  const member& m = members_[static_cast<std::size_t>(of)];
  const bool dead = !run_.alive(of);
  if (!dead && !m.left) return sessions::fate::here;
  const auto [finding, fresh] = findings_.try_emplace({rank, of});
  if (fresh) {
    const nanoseconds most = run_.chance(4) ? latest_ : std::min(latest_, nanoseconds(5'000'000));
    finding->second = run_.now() + nanoseconds(run_.draw(static_cast<std::uint64_t>(most.count())));
  }
  if (run_.now() < finding->second) return sessions::fate::here;
  if (dead) run_.drain_process(of);  // it ended before
  if (!m.left) return sessions::fate::ended;
  // Others may not have returned from their last collective with it.
  constexpr std::chrono::seconds grace{2};
  return run_.now() < m.left_at + grace ? sessions::fate::leaving : sessions::fate::left;
}

}  // namespace oriel::sim
