#include "session/node/fates.hpp"

namespace oriel::sessions {

fates::fates(int ranks)
    : known_(static_cast<std::size_t>(ranks)),
      lost_(std::make_unique_for_overwrite<int[]>(static_cast<std::size_t>(ranks))) {}

bool fates::note(int r, fate f) noexcept {
  std::atomic<fate>& known = known_[static_cast<std::size_t>(r)];
  const fate before = known.load(std::memory_order_relaxed);
  if (!may_follow(before, f)) return false;
  known.store(f, std::memory_order_release);
  if (is_gone(f) && !is_gone(before)) {
    const std::size_t n = losses_.load(std::memory_order_relaxed);
    lost_[n] = r;
    losses_.store(n + 1, std::memory_order_release);
  }
  return true;
}

void fates::estrange_from_all_but(int me) noexcept {
  estranged_.store(true, std::memory_order_release);
  for (int r = 0; r < ranks(); ++r)
    if (r != me) note(r, fate::estranged);
}

}  // namespace oriel::sessions
