// Decides which rank releases a block of shared memory that several ranks use: the last to depart,
// so that none waits. A rank that departs does so also for those that have died, unless one that is
// alive has still to depart, which then will.
//
// A rank that receives the block's address too late to use it stays out: it departs, and is marked
// so for those that wait for it.
//
// Where something else must stay until the others no longer use it, a rank leaves first, waits
// until all have left, and departs then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace oriel::sync {

class last_out {
 public:
  // Of shared memory, zeroed at first.
  static constexpr std::size_t bytes(int ranks) noexcept {
    return sizeof(std::atomic<std::uint32_t>) + static_cast<std::size_t>(ranks);
  }

  last_out(std::byte* block, int ranks) noexcept
      : count_(reinterpret_cast<std::atomic<std::uint32_t>*>(block)),
        stage_(reinterpret_cast<std::atomic<std::uint8_t>*>(block + sizeof *count_)),
        ranks_(ranks) {}

  // `me` no longer uses anything of the others.
  void leave(int me) noexcept { stage_[me].store(left, std::memory_order_seq_cst); }
  // No rank that lives is still to leave.
  template <class Alive>
  [[nodiscard]] bool all_have_left(Alive alive) const noexcept {
    for (int r = 0; r < ranks_; ++r)
      if (stage_[r].load(std::memory_order_seq_cst) == here && alive(r)) return false;
    return true;
  }

  // Returns true on exactly one rank, which releases the block; the others must not access it any
  // more. Calls `alive(r)` for few ranks: the first that is alive ends the search.
  template <class Alive>
  [[nodiscard]] bool depart(int me, Alive alive, bool stays_out = false) noexcept {
    // Marked before the search, so that of several ranks that depart at once the last finds no
    // other left; counted after it, so that the block lives as long as the search.
    const std::uint8_t mine = stays_out ? stayed_out : departed;
    if (stage_[me].exchange(mine, std::memory_order_seq_cst) >= departed) return false;
    std::uint32_t count = 1;
    for (int r = 0; r < ranks_; ++r) {
      if (stage_[r].load(std::memory_order_seq_cst) >= departed) continue;
      if (alive(r)) break;
      if (stage_[r].exchange(departed, std::memory_order_seq_cst) < departed) ++count;
    }
    return count_->fetch_add(count, std::memory_order_acq_rel) + count ==
           static_cast<std::uint32_t>(ranks_);
  }
  // These two while this rank has not departed.
  [[nodiscard]] bool stays_out(int r) const noexcept {
    return stage_[r].load(std::memory_order_relaxed) == stayed_out;
  }
  [[nodiscard]] bool any_stays_out() const noexcept {
    for (int r = 0; r < ranks_; ++r)
      if (stays_out(r)) return true;
    return false;
  }

 private:
  static constexpr std::uint8_t here = 0;
  static constexpr std::uint8_t left = 1;
  static constexpr std::uint8_t departed = 2;
  static constexpr std::uint8_t stayed_out = 3;

  std::atomic<std::uint32_t>* count_;
  std::atomic<std::uint8_t>* stage_;
  int ranks_;
};

}  // namespace oriel::sync
