// The segment book: the buffers that a rank exposes, for windows whose memory is not all mapped or
// not all known at construction. One book a rank, in shared memory (segment_tree.hpp): its owner
// writes it, all ranks of the node read it, without a request to the owner and without waiting for
// it, also after its death. Reads and changes take time logarithmic in the number of buffers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "oriel/errc.hpp"
#include "sync/system.hpp"
#include "win/segment_tree.hpp"

namespace oriel::win {

class segment_book {
 public:
  segment_book(sessions::node_memory& memory, const segment_book_state& state) noexcept
      : memory_(&memory), state_(&state) {}

  // The record that holds all of [first, first + count), elements of `extent` bytes; several that
  // follow each other in displacements and in memory are one. Nothing when there is none.
  [[nodiscard]] std::optional<segment_record> find(std::uint64_t first, std::uint64_t count,
                                                   std::uint64_t extent) const noexcept;
  // Up to `most` of the records that start at `from` or after it, in order: each that is there all
  // the while; of those that come and go meanwhile some.
  [[nodiscard]] std::vector<segment_record> from(std::uint64_t from, std::size_t most) const;
  [[nodiscard]] std::vector<segment_record> all() const { return from(0, ~std::size_t{0}); }

 private:
  [[nodiscard]] segment_snapshot now() const noexcept { return {memory_->base(), *state_}; }

  sessions::node_memory* memory_;
  const segment_book_state* state_;
};

// The owner's end. Threads: any, in turn.
class segment_book_owner {
 public:
  segment_book_owner(sessions::node_memory& memory, segment_book_state& state,
                     bool by_address) noexcept
      : records_(memory, state), by_address_(by_address) {}
  segment_book_owner(const segment_book_owner&) = delete;
  segment_book_owner& operator=(const segment_book_owner&) = delete;

  // Adds `count` elements of `extent` bytes at `address`: by address at displacement address /
  // extent, else after the last displacement in use ever, so that a stale displacement never finds
  // new memory. rma_attach when empty or overlapping, or between two displacements.
  // Throws no_mem, and nothing has changed.
  errc add(std::uint64_t address, std::int64_t offset, std::uint64_t count, std::uint64_t extent,
           segment_record& added);
  // Whether displacements are addresses, in extents.
  [[nodiscard]] bool is_by_address() const noexcept { return by_address_; }
  // rma_attach when there is no such handle.
  errc remove(std::uint64_t handle);
  // Whether all of [address, address + bytes) lies in buffers, of `extent`-byte elements.
  [[nodiscard]] bool exposes(std::uint64_t address, std::uint64_t bytes,
                             std::uint64_t extent) const;

 private:
  // Of the last buffer that starts at or before `address`, the first address behind it; 0 when none
  // does.
  [[nodiscard]] std::uint64_t end_of_last(std::uint64_t address, std::uint64_t extent) const;

  struct attached {
    std::uint64_t first;
    std::uint64_t address;
  };

  mutable sync::mutex mutex_;
  segment_tree records_;
  bool by_address_;
  std::unordered_map<std::uint32_t, attached> by_handle_;
  // Address and end of each buffer; empty where displacements are in the order of addresses.
  std::map<std::uint64_t, std::uint64_t> ends_;
  std::uint64_t next_first_ = 0;
  std::uint32_t next_handle_ = 0;
};

}  // namespace oriel::win
