// Who gives back a block of shared memory that several ranks use: the last to depart, so that
// nobody waits. Ranks that died without departing are counted by those who notice.
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

  // Departs for every rank that `alive(r)` denies. Before this rank departs itself.
  template <class Alive>
  void bury(Alive alive) noexcept {
    for (int r = 0; r < ranks_; ++r)
      if (!alive(r) && gone_[r].exchange(1) == 0) count_->fetch_add(1, std::memory_order_acq_rel);
  }
  // True for exactly one rank, which gives the block back; the others must not touch it any more.
  [[nodiscard]] bool depart(int me) noexcept {
    if (gone_[me].exchange(1) != 0) return false;
    return count_->fetch_add(1, std::memory_order_acq_rel) + 1 ==
           static_cast<std::uint32_t>(ranks_);
  }

 private:
  std::atomic<std::uint32_t>* count_;
  std::atomic<std::uint8_t>* gone_;
  int ranks_;
};

}  // namespace oriel::boot
