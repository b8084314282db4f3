// Which buffers a rank exposes, in shared memory, for windows whose memory is not all mapped or not
// all known at construction. One book a rank; its owner writes it, everyone on the node reads it
// without asking the owner.
//
// Readers take no lock: they copy a record between two looks at the version, and look again when
// the owner was writing (a sequence lock). Records are sorted by `first` and do not overlap.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "oriel/errc.hpp"
#include "oriel/segment.hpp"
#include "session/node_memory.hpp"

namespace oriel::win {

struct segment_record {
  std::uint64_t first = 0;    // displacement in elements
  std::uint64_t count = 0;    // elements
  std::int64_t offset = 0;    // in node memory, or detail::unmapped
  std::uint64_t address = 0;  // in the owner's address space
  std::uint64_t handle = 0;
};

// 64 bytes of shared memory a rank, zeroed at first.
struct alignas(64) segment_book_state {
  std::atomic<std::uint32_t> version;  // odd while the owner writes
  std::atomic<std::uint32_t> used;     // records
  std::atomic<std::uint64_t> table;    // offset of the records in node memory; 0: none yet
};

class segment_book {
 public:
  segment_book(boot::node_memory& memory, segment_book_state& state) noexcept
      : memory_(&memory), state_(&state) {}

  // The record that holds all of [first, first + count), elements of `extent` bytes; several that
  // follow each other in displacements and in memory are one. Nothing when there is none.
  [[nodiscard]] std::optional<segment_record> find(std::uint64_t first, std::uint64_t count,
                                                   std::uint64_t extent) const noexcept;
  // A consistent copy of all records, in order.
  [[nodiscard]] std::vector<segment_record> all() const;

 private:
  friend class segment_book_owner;
  template <class Read>
  auto read_consistently(Read read) const noexcept;
  [[nodiscard]] const std::atomic<std::uint64_t>* words() const noexcept;

  boot::node_memory* memory_;
  segment_book_state* state_;
};

// The owner's end. Threads: any, in turn.
class segment_book_owner {
 public:
  segment_book_owner(boot::node_memory& memory, segment_book_state& state, bool by_address) noexcept
      : memory_(&memory), state_(&state), by_address_(by_address) {}
  // Gives the tables back. Nobody reads the book any more.
  ~segment_book_owner();
  segment_book_owner(const segment_book_owner&) = delete;
  segment_book_owner& operator=(const segment_book_owner&) = delete;

  // Adds `count` elements of `extent` bytes at `address`: by address at displacement address /
  // extent, else after the last displacement in use ever, so that a stale displacement never finds
  // new memory. rma_attach when empty or overlapping, or between two displacements.
  // Throws no_mem when the table cannot grow.
  errc add(std::uint64_t address, std::int64_t offset, std::uint64_t count, std::uint64_t extent,
           segment_record& added);
  // rma_attach when there is no such handle.
  errc remove(std::uint64_t handle);
  // Whether all of [address, address + bytes) lies in buffers, of `extent`-byte elements.
  [[nodiscard]] bool exposes(std::uint64_t address, std::uint64_t bytes,
                             std::uint64_t extent) const;

 private:
  void make_room(std::size_t records);
  void publish() noexcept;

  boot::node_memory* memory_;
  segment_book_state* state_;
  bool by_address_;
  mutable std::mutex mutex_;
  std::vector<segment_record> records_;
  std::vector<std::uint64_t> tables_;  // every table made; readers may still be in an older one
  std::size_t capacity_ = 0;
  std::uint64_t next_first_ = 0;
  std::uint64_t next_handle_ = 0;
};

}  // namespace oriel::win
