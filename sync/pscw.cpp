#include "sync/pscw.hpp"

#include <new>

namespace oriel::sync {

std::size_t pscw::bytes(int ranks) noexcept {
  const auto p = static_cast<std::size_t>(ranks);
  return p * sizeof(line) + p * p * sizeof(std::atomic<std::uint32_t>);
}

pscw::pscw(std::byte* block, int me, int ranks, const peer_watch& peers)
    : block_(block), peers_(&peers), me_(me), ranks_(ranks) {
  targets_.reserve(static_cast<std::size_t>(ranks));
  consumed_.resize(static_cast<std::size_t>(ranks), 0);
}

pscw::line& pscw::line_of(int r) const noexcept {
  return reinterpret_cast<line*>(block_)[r];
}

std::atomic<std::uint32_t>& pscw::posts(int origin, int target) const noexcept {
  auto* const words = reinterpret_cast<std::atomic<std::uint32_t>*>(
      block_ + static_cast<std::size_t>(ranks_) * sizeof(line));
  return words[static_cast<std::size_t>(origin) * static_cast<std::size_t>(ranks_) +
               static_cast<std::size_t>(target)];
}

bool pscw::valid(std::span<const rank> group) const noexcept {
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (group[i].value < 0 || group[i].value >= ranks_) return false;
    for (std::size_t j = 0; j < i; ++j)
      if (group[i] == group[j]) return false;
  }
  return true;
}

errc pscw::post(std::span<const rank> origins, std::uint32_t others) noexcept {
  if (exposing_) return errc::rma_sync;
  if (!valid(origins)) return errc::rank;
  exposing_ = true;
  next_look_ = {};
  awaited_ += static_cast<std::uint32_t>(origins.size()) + others;
  for (const rank o : origins) {
    // Release: what this rank stored before the post is seen by the origin after its start.
    posts(o.value, me_).fetch_add(1, std::memory_order_release);
    line& theirs = line_of(o.value);
    theirs.posted.value.fetch_add(1, std::memory_order_seq_cst);
    wake_all(theirs.posted);
  }
  return errc::success;
}

errc pscw::start(std::span<const rank> targets) noexcept {
  if (accessing_) return errc::rma_sync;
  if (!valid(targets)) return errc::rank;
  line& mine = line_of(me_);
  for (const rank t : targets) {
    auto& posted = posts(me_, t.value);
    const std::uint32_t seen = consumed_[static_cast<std::size_t>(t.value)];
    const errc waited = wait_for(mine.posted, *peers_, [&](std::uint32_t) {
      return posted.load(std::memory_order_acquire) != seen;
    });
    if (waited != errc::success) return waited;
  }
  for (const rank t : targets) ++consumed_[static_cast<std::size_t>(t.value)];
  targets_.assign(targets.begin(), targets.end());
  accessing_ = true;
  return errc::success;
}

void pscw::completed_elsewhere() noexcept {
  line& mine = line_of(me_);
  mine.completed.value.fetch_add(1, std::memory_order_seq_cst);
  wake_all(mine.completed);
}

errc pscw::complete() noexcept {
  if (!accessing_) return errc::rma_sync;
  for (const rank t : targets_) {
    line& theirs = line_of(t.value);
    theirs.completed.value.fetch_add(1, std::memory_order_seq_cst);
    wake_all(theirs.completed);
  }
  accessing_ = false;
  targets_.clear();
  return errc::success;
}

// Looking costs a system call a peer, so seldom, and not at the first test, which as a rule finds
// what has just been done.
bool pscw::testing_in_vain() noexcept {
  using namespace wait_ladder;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return false;
  const bool first = next_look_ == std::chrono::steady_clock::time_point{};
  next_look_ = now + (first ? shortest_sleep : longest_sleep);
  return !first && peers_->any_failed();
}

errc pscw::wait(bool* done) noexcept {
  if (!exposing_) return errc::rma_sync;
  line& mine = line_of(me_);
  const auto all_completed = [this](std::uint32_t completed) { return completed == awaited_; };
  if (done != nullptr) {
    const auto ended = [&]() noexcept {
      return all_completed(mine.completed.value.load(std::memory_order_acquire));
    };
    *done = ended();
    // A rank that has gone may have completed before.
    if (!*done && testing_in_vain() && !(*done = ended())) return errc::peer_failed;
    if (*done) exposing_ = false;
    return errc::success;
  }
  const errc waited = wait_for(mine.completed, *peers_, all_completed);
  if (waited == errc::success) exposing_ = false;
  return waited;
}

}  // namespace oriel::sync
