// Locks for the elements that no atomic instruction serves: those wider than the machine's, and
// those that lie misaligned for it. Shared by the processes that map the memory; a fixed number of
// them, spread over the memory by the element's key (its offset in memory that all of them share,
// or its address where one process alone performs the window's atomics), so that all agree on the
// lock.
//
// Held for a few elements at a time and never while waiting for anything else. The owner's rank is
// in the word, for debugging. Any thread of any process; zeroed memory at first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "oriel/errc.hpp"
#include "sync/wait.hpp"

namespace oriel::atomics {

class stripes {
 public:
  // Of shared memory, 64-byte aligned.
  static constexpr std::size_t bytes() noexcept { return sizeof(line) * count; }

  // `peers`: when one of them has failed, a waiter gives up. Must outlive this object.
  stripes(std::byte* block, int world_rank, const sync::peer_watch& peers) noexcept
      : lines_(reinterpret_cast<line*>(block)),
        peers_(&peers),
        me_(static_cast<std::uint32_t>(world_rank) + 1) {}

  // The lock of the element at `key`. Elements that begin in one 256-byte block have one lock, so a
  // run of them costs few; the multiplication spreads blocks at any power of two apart.
  static constexpr std::size_t of(std::uint64_t key) noexcept {
    return static_cast<std::size_t>((key >> 8) * 0x9e3779b97f4a7c15u >> (64 - count_bits));
  }

  // Returns peer_failed when the lock stays taken and a peer has died.
  errc take(std::size_t stripe) noexcept {
    std::uint32_t free = 0;
    if (lines_[stripe].word.value.compare_exchange_strong(free, me_, std::memory_order_seq_cst))
        [[likely]]
      return errc::success;
    return take_slowly(stripe);
  }
  void give(std::size_t stripe) noexcept {
    sync::wait_word& word = lines_[stripe].word;
    word.value.exchange(0, std::memory_order_seq_cst);
    sync::wake_all(word);
  }

  // Performs step(0) … step(n-1), each under the lock of the element at `key + i * size`. Stops at
  // the first lock that cannot be had.
  template <class Step>
  errc each(std::uint64_t key, std::size_t size, std::size_t n, Step step) noexcept {
    for (std::size_t i = 0; i < n;) {
      const std::size_t stripe = of(key + i * size);
      const errc taken = take(stripe);
      if (taken != errc::success) return taken;
      const std::uint64_t block = (key + i * size) >> 8;
      do step(i++);
      while (i < n && (key + i * size) >> 8 == block);
      give(stripe);
    }
    return errc::success;
  }

 private:
  static constexpr int count_bits = 6;
  static constexpr std::size_t count = std::size_t{1} << count_bits;
  struct alignas(64) line {
    sync::wait_word word;  // value: the owner's rank + 1, 0 when free
  };
  errc take_slowly(std::size_t stripe) noexcept;

  line* lines_;
  const sync::peer_watch* peers_;
  std::uint32_t me_;
};

}  // namespace oriel::atomics
