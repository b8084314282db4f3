#include "tests/sim/job/society.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace oriel::sim {

society* society::current_ = nullptr;

society::society(scheduler& run, int ranks, int rails, nanoseconds latest)
    : run_(run), latest_(latest), members_(static_cast<std::size_t>(ranks)), rails_(rails) {
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
  if (run_.now() < finding(of_ranks_, rank, of)) return sessions::fate::here;
  if (dead) run_.drain_process(of);  // it ended before
  if (!m.left) return sessions::fate::ended;
  // Others may not have returned from their last collective with it.
  constexpr std::chrono::seconds grace{2};
  return run_.now() < m.left_at + grace ? sessions::fate::leaving : sessions::fate::left;
}

nanoseconds society::finding(news& of_all, int rank, int of) {
  const auto [when, fresh] = of_all.when.try_emplace({rank, of});
  if (!fresh) return when->second;
  const auto [alone, first] = of_all.alone.try_emplace(of, -1);
  if (first && run_.chance(4)) alone->second = static_cast<int>(run_.draw(members_.size()));
  const auto within = [this](nanoseconds most) {
    return nanoseconds(run_.draw(static_cast<std::uint64_t>(most.count())));
  };
  constexpr nanoseconds soon{5'000'000};
  when->second = run_.now() + (alone->second == rank ? nanoseconds{}
                               : alone->second >= 0  ? latest_ / 2 + within(latest_ / 2)
                               : run_.chance(4)      ? within(latest_)
                                                     : within(std::min(latest_, soon)));
  return when->second;
}

bool society::rail_fails(int rail) {
  if (std::count(failed_rails_.begin(), failed_rails_.end(), rail) != 0) return false;
  if (static_cast<int>(failed_rails_.size()) + 1 >= rails_) return false;
  failed_rails_.push_back(rail);
  return true;
}

std::uint32_t society::failed_rails(int rank) {
  std::uint32_t found = 0;
  for (const int rail : failed_rails_)
    if (run_.now() >= finding(of_rails_, rank, rail)) found |= 1u << rail;
  return found;
}

}  // namespace oriel::sim
