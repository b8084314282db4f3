#include "sync/pscw.hpp"

#include <algorithm>

namespace oriel::sync {

std::size_t pscw::bytes(int ranks) noexcept {
  const auto p = static_cast<std::size_t>(ranks);
  const auto far = static_cast<std::size_t>(std::max(ranks - near_targets, 0));
  return p * (sizeof(origin_line) + sizeof(target_line)) +
         p * far * sizeof(std::atomic<std::uint32_t>);
}

pscw::pscw(std::byte* block, int me, int ranks, const peer_watch& peers)
    : block_(block), peers_(&peers), me_(me), ranks_(ranks) {
  targets_.reserve(static_cast<std::size_t>(ranks));
  consumed_.resize(static_cast<std::size_t>(ranks), 0);
}

pscw::origin_line& pscw::origin_at(int r) const noexcept {
  return reinterpret_cast<origin_line*>(block_)[r];
}

pscw::target_line& pscw::target_at(int r) const noexcept {
  return reinterpret_cast<target_line*>(&origin_at(ranks_))[r];
}

std::atomic<std::uint32_t>& pscw::posts(int origin, int target) const noexcept {
  if (target < near_targets) return origin_at(origin).posts[static_cast<std::size_t>(target)];
  auto* const rows = reinterpret_cast<std::atomic<std::uint32_t>*>(&target_at(ranks_));
  return rows[origin * (ranks_ - near_targets) + target - near_targets];
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
    auto& mine = posts(o.value, me_);
    const std::uint32_t number = (mine.load(std::memory_order_relaxed) | 1) + 1;
    mine.store(number | (o == origins.front() ? 1 : 0), std::memory_order_release);
    origin_line& theirs = origin_at(o.value);
    theirs.posted.value.fetch_add(1, std::memory_order_seq_cst);
    wake_all(theirs.posted);
  }
  return errc::success;
}

errc pscw::start(std::span<const rank> targets) noexcept {
  if (accessing_) return errc::rma_sync;
  if (!valid(targets)) return errc::rank;
  origin_line& mine = origin_at(me_);
  for (const rank t : targets) {
    auto& posted = posts(me_, t.value);
    const std::uint32_t seen = consumed_[static_cast<std::size_t>(t.value)];
    awaited_post_ = t.value;
    const errc waited = wait_for(mine.posted, *peers_, [&](std::uint32_t) {
      return posted.load(std::memory_order_acquire) != seen;
    });
    if (waited != errc::success) return waited;
  }
  for (const rank t : targets)
    consumed_[static_cast<std::size_t>(t.value)] =
        posts(me_, t.value).load(std::memory_order_relaxed);
  targets_.assign(targets.begin(), targets.end());
  accessing_ = true;
  return errc::success;
}

void pscw::completed_elsewhere() noexcept {
  target_line& mine = target_at(me_);
  mine.completed.value.fetch_add(1, std::memory_order_seq_cst);
  wake_all(mine.completed);
}

bool pscw::enclose(const letter& l) noexcept {
  if ((consumed_[static_cast<std::size_t>(l.to)] & 1) == 0) return false;
  target_line& theirs = target_at(l.to);
  theirs.left = l;  // the completion publishes it
  theirs.has_left = 1;
  return true;
}

const letter* pscw::received() const noexcept {
  const target_line& mine = target_at(me_);
  return mine.has_left != 0 ? &mine.left : nullptr;
}

void pscw::close_letter() noexcept {
  target_at(me_).has_left = 0;
}

errc pscw::complete() noexcept {
  if (!accessing_) return errc::rma_sync;
  for (const rank t : targets_) {
    target_line& theirs = target_at(t.value);
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
  const auto now = clock::now();
  if (now < next_look_) return false;
  const bool first = next_look_ == clock::time_point{};
  next_look_ = now + (first ? shortest_sleep : longest_sleep);
  return !first && peers_->any_failed();
}

errc pscw::wait(bool* done) noexcept {
  if (!exposing_) return errc::rma_sync;
  target_line& mine = target_at(me_);
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
