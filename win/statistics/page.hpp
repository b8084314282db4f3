// What is counted of one window by one process, in the node's memory, where oriel-info reads it
// from outside of the job while the ranks run, or hang. A rank's pages are a list that begins at
// its member_line; a page and its list of tallies are made when a thread counts for the first time.
//
// Each thread writes tallies of its own, by plain loads and stores: 8 bytes never tear, and whoever
// reads sums those of all threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "oriel/statistics.hpp"

namespace oriel::win {

// Threads: one writes, any reads.
class tally_count {
 public:
  void add(std::uint64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  // One, by one instruction where there is such a one: GCC makes three of the above, which take
  // single elements a quarter of a nanosecond more.
  void add_one() noexcept {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    asm("addq $1, %0" : "+m"(reinterpret_cast<std::uint64_t&>(value_)) : : "cc");
#else
    add(1);
#endif
  }
  [[nodiscard]] std::uint64_t read() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }
  // To what it was before something counted that has been counted already.
  void put_back(std::uint64_t before) noexcept {
    value_.store(before, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_;
};

// By the bits of the largest offset in it.
inline constexpr auto class_of_bits = [] {
  std::array<std::uint8_t, 65> table{};
  for (std::size_t bits = 4; bits < table.size(); ++bits)
    table[bits] = static_cast<std::uint8_t>(std::min((bits - 1) / 3, size_classes - 1));
  return table;
}();
constexpr std::size_t size_class(std::uint64_t bytes) noexcept {
  return class_of_bits[static_cast<std::size_t>(std::bit_width(bytes - (bytes != 0 ? 1 : 0)))];
}
static_assert(size_class(0) == 0 && size_class(8) == 0 && size_class(9) == 1);
static_assert(size_class(64) == 1 && size_class(65) == 2 && size_class(2u << 20) == 6);
static_assert(size_class((2u << 20) + 1) == 7 && size_class(~std::uint64_t{0}) == 7);

// What one instruction moves: 1, 2, 4 and 8 bytes.
inline constexpr std::size_t word_sizes = 4;
constexpr std::size_t word_size(std::size_t bytes) noexcept {
  return static_cast<std::size_t>(std::countr_zero(bytes));
}

// A wait that lasts.
struct present_wait {
  std::atomic<std::uint32_t> cause;   // wait_cause + 1; 0: the thread does not wait
  std::atomic<std::int32_t> target;   // whose lock, or answer: a rank of the job; below 0: no one's
  std::atomic<std::int32_t> awaited;  // who has to do something first; below 0: not known
  std::atomic<std::int64_t> since;    // nanoseconds of the steady clock, which all processes share
};

// One thread's, zeroed at first.
struct alignas(64) tallies {
  struct cell {
    tally_count operations, bytes;
  };
  struct waited {
    tally_count times, nanoseconds;
  };
  // Of 1, 2, 4 and 8 bytes each, by one instruction: of the rank's own memory, of others'.
  std::array<std::array<std::array<tally_count, 2>, word_sizes>, operation_kinds> words;
  std::array<std::array<cell, access_routes>, operation_kinds> cells;
  std::array<tally_count, size_classes> sizes;
  std::array<waited, wait_causes> waits;
  tally_count packets, packed, messages, retries;
  present_wait now;
  std::atomic<std::uint64_t> next;  // offset of the next thread's; 0: none

  // One of 2 to the power of `size` bytes.
  void note_word(operation_kind k, bool own, std::size_t size) noexcept {
    words[static_cast<std::size_t>(k)][size][own ? 0 : 1].add_one();
  }
  // `n` operations of `bytes` bytes each.
  void note(operation_kind k, access_route r, std::uint64_t bytes, std::uint64_t n) noexcept {
    cell& c = cells[static_cast<std::size_t>(k)][static_cast<std::size_t>(r)];
    c.operations.add(n);
    c.bytes.add(n * bytes);
    sizes[size_class(bytes)].add(n);
  }
};

struct alignas(64) statistics_page {
  static constexpr std::uint64_t valid = 0x6f7269656c703034;  // "orielp04"
  static constexpr std::size_t longest_name = 64;

  std::atomic<std::uint64_t> mark;  // valid, once the rest is
  std::atomic<std::uint64_t> next;  // offset of the next window's; 0: none
  std::uint64_t window;             // the same on all ranks, and no other window's
  std::int32_t rank;                // in the window's team,
  std::int32_t ranks;               // which has so many
  std::int32_t world_rank;
  // Offset of the words of this node's ranks for locks (sync::group_lock_state), of how many, and
  // which is this rank's; 0: the window has none. Who has one is seen in it.
  std::uint64_t locks;
  std::int32_t locks_here;
  std::int32_t own_lock;
  char name[longest_name];  // ends with a zero, cut where it is longer
  tallies first;
};

// Adds what one thread has counted.
void add(window_statistics& to, const tallies& t) noexcept;

}  // namespace oriel::win
