// Who gives back a block of shared memory that several ranks use: the last to depart, so that
// nobody waits. A rank that departs departs also for those that have died, unless somebody who
// lives is still to come: he will.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace oriel::boot {

class departure {
 public:
  // Of shared memory, zeroed at first.
  static constexpr std::size_t bytes(int ranks) noexcept {
    return sizeof(std::atomic<std::uint32_t>) + static_cast<std::size_t>(ranks);
  }

  departure(std::byte* block, int ranks) noexcept
      : count_(reinterpret_cast<std::atomic<std::uint32_t>*>(block)),
        gone_(reinterpret_cast<std::atomic<std::uint8_t>*>(block + sizeof *count_)),
        ranks_(ranks) {}

  // True for exactly one rank, which gives the block back; the others must not touch it any more.
  // `alive(r)` is asked about few ranks: the first that is alive ends the search.
  template <class Alive>
  [[nodiscard]] bool depart(int me, Alive alive) noexcept {
    // Marked before the search, so that of several ranks that depart at once the last finds no
    // other left; counted after it, so that the block lives as long as the search.
    if (gone_[me].exchange(1, std::memory_order_seq_cst) != 0) return false;
    std::uint32_t departed = 1;
    for (int r = 0; r < ranks_; ++r) {
      if (gone_[r].load(std::memory_order_seq_cst) != 0) continue;
      if (alive(r)) break;
      if (gone_[r].exchange(1, std::memory_order_seq_cst) == 0) ++departed;
    }
    return count_->fetch_add(departed, std::memory_order_acq_rel) + departed ==
           static_cast<std::uint32_t>(ranks_);
  }

 private:
  std::atomic<std::uint32_t>* count_;
  std::atomic<std::uint8_t>* gone_;
  int ranks_;
};

}  // namespace oriel::boot
