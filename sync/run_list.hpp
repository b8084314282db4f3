// What many places of a rank's memory are asked to take, in one request: for each run
// of equal blocks where it lies, and then the blocks' bytes, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "oriel/errc.hpp"

namespace oriel::sync {

// Blocks of `bytes` bytes that begin `stride` bytes apart.
struct block_run {
  std::uint64_t address = 0;  // in the owner's address space; between nodes, from its first element
  std::uint32_t bytes = 0;
  std::uint32_t blocks = 0;
  std::int64_t stride = 0;

  // Where the first of its bytes is, and where the last one ends; false where that is no range.
  [[nodiscard]] bool bounds(std::uint64_t& first, std::uint64_t& end) const noexcept {
    std::int64_t to_last = 0;
    std::uint64_t last = 0;
    if (blocks == 0 || __builtin_mul_overflow(stride, std::int64_t{blocks} - 1, &to_last))
      return false;
    last = address + static_cast<std::uint64_t>(to_last);
    if ((to_last < 0) != (last < address)) return false;
    first = last < address ? last : address;
    return !__builtin_add_overflow(last < address ? address : last, bytes, &end);
  }
};

class run_list {
 public:
  explicit run_list(std::span<std::byte> room) noexcept : room_(room) {}
  // How many blocks of so many bytes, one at least, the next run may have.
  [[nodiscard]] std::size_t room_for(std::size_t bytes) const noexcept {
    const std::size_t left = room_.size() - used_;
    const std::size_t many = left > sizeof(block_run) ? (left - sizeof(block_run)) / bytes : 0;
    return many > 1 ? many : left >= taken(bytes, 1) ? 1 : 0;
  }
  // The longest block of the same list, in whole elements of `element` bytes; 0: there is no room.
  [[nodiscard]] std::size_t longest_block(std::size_t element) const noexcept {
    const std::size_t left = (room_.size() - used_) / 8 * 8;
    return left > head_of(1) ? (left - head_of(1)) / element * element : 0;
  }
  // Returns where its blocks' bytes go. Requires: room_for(r.bytes) >= r.blocks >= 1.
  std::byte* add(const block_run& r) noexcept {
    const std::size_t head = head_of(r.blocks);
    std::memcpy(room_.data() + used_, &r, head);
    std::byte* const bytes = room_.data() + used_ + head;
    used_ += taken(r.bytes, r.blocks);
    return bytes;
  }
  void clear() noexcept { used_ = 0; }
  [[nodiscard]] const std::byte* data() const noexcept { return room_.data(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return used_; }

  // Calls f(run, its bytes) for each of a list that another process wrote, until one returns an
  // error. Returns rma_range for what is no list.
  template <class F>
  static errc for_each(const std::byte* list, std::size_t bytes, F f) noexcept {
    for (std::size_t at = 0; at < bytes;) {
      block_run one;
      if (bytes - at < head_of(1)) return errc::rma_range;
      std::memcpy(static_cast<void*>(&one), list + at, head_of(1));
      const std::size_t head = head_of(one.blocks);
      // The last run may end without the bytes that align the next.
      if (one.blocks == 0 || one.bytes == 0 ||
          bytes - at < head + std::size_t{one.bytes} * one.blocks)
        return errc::rma_range;
      // Not what has been tested: the other process may have changed it.
      if (one.blocks > 1)
        std::memcpy(&one.stride, list + at + offsetof(block_run, stride), sizeof one.stride);
      if (const errc e = f(one, list + at + head); e != errc::success) return e;
      at += taken(one.bytes, one.blocks);
    }
    return errc::success;
  }

 private:
  // A single block has no stride.
  static constexpr std::size_t head_of(std::size_t blocks) noexcept {
    return blocks > 1 ? sizeof(block_run) : offsetof(block_run, stride);
  }
  static constexpr std::size_t taken(std::size_t bytes, std::size_t blocks) noexcept {
    return (head_of(blocks) + bytes * blocks + 7) / 8 * 8;
  }

  std::span<std::byte> room_;
  std::size_t used_ = 0;
};

// Calls f(run) for each of a list of runs alone, without bytes, that another process wrote, until
// one returns an error. Returns count for what is no such list.
template <class F>
errc for_each_run(std::span<const std::byte> runs, F f) noexcept {
  if (runs.size() % sizeof(block_run) != 0) return errc::count;
  for (; !runs.empty(); runs = runs.subspan(sizeof(block_run))) {
    block_run r;
    std::memcpy(static_cast<void*>(&r), runs.data(), sizeof r);
    if (const errc e = f(r); e != errc::success) return e;
  }
  return errc::success;
}

}  // namespace oriel::sync
