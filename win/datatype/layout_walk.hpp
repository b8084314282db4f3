// Walking buffers that have layouts: piece by piece, each contiguous and of one primitive, in
// typemap order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "oriel/detail/operation_table.hpp"

namespace oriel::win {

// Addresses may be null and offsets whole addresses (MPI_BOTTOM), which pointer arithmetic would
// not allow.
inline const std::byte* moved(const std::byte* p, std::ptrdiff_t by) noexcept {
  return reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(p) +  // NOLINT
                                            static_cast<std::uintptr_t>(by));
}
inline std::byte* moved(std::byte* p, std::ptrdiff_t by) noexcept {
  return const_cast<std::byte*>(moved(static_cast<const std::byte*>(p), by));
}

// Where a shape's data lie, from the buffer's address on; nothing when it has none.
struct stretch {
  std::ptrdiff_t first = 0;
  std::size_t bytes = 0;
};
stretch stretch_of(const shape&) noexcept;

// A place in `count` elements of a datatype. Cheap to copy; the shape must outlive it.
class layout_cursor {
 public:
  explicit layout_cursor(const shape& s) noexcept
      : runs_(s.type.runs()), extent_(s.type.extent()), left_(runs_.empty() ? 0 : s.count) {
    if (left_ == 0) return;
    current_ = runs_[0];
    if (runs_.size() == 1 && current_.blocks == 1) fold();
    enter_run();
  }

  [[nodiscard]] bool done() const noexcept { return left_ == 0; }
  // The piece at hand: bytes [offset, offset + bytes) from the buffer's address.
  [[nodiscard]] std::ptrdiff_t offset() const noexcept {
    return element_ + current_.offset + block_offset_ + static_cast<std::ptrdiff_t>(within_);
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return block_bytes_ - within_; }
  [[nodiscard]] primitive type() const noexcept { return current_.type; }

  // Blocks of the run from here on, all of bytes() and stride() apart, when at a block's start.
  [[nodiscard]] bool at_block() const noexcept { return within_ == 0; }
  [[nodiscard]] std::size_t blocks() const noexcept { return current_.blocks - block_; }
  [[nodiscard]] std::ptrdiff_t stride() const noexcept { return current_.stride; }

  // `n` of at most bytes().
  void advance(std::size_t n) noexcept {
    within_ += n;
    if (within_ == block_bytes_) advance_blocks(1);
  }
  // Whole blocks, at most blocks(), from a block's start or end.
  void advance_blocks(std::size_t n) noexcept {
    within_ = 0;
    block_ += n;
    block_offset_ += static_cast<std::ptrdiff_t>(n) * current_.stride;
    if (block_ != current_.blocks) return;
    if (++run_ == runs_.size()) {
      run_ = 0;
      element_ += extent_;
      --left_;
    }
    if (left_ == 0) return;
    if (runs_.size() != 1) current_ = runs_[run_];
    enter_run();
  }

 private:
  // Elements of one block each are the blocks of one element; those that touch are one block.
  void fold() noexcept {
    current_.blocks = std::exchange(left_, 1);
    current_.stride = extent_;
    if (static_cast<std::size_t>(extent_) != current_.elements * size_of(current_.type)) return;
    current_.elements *= std::exchange(current_.blocks, 1);
  }
  void enter_run() noexcept {
    block_ = 0;
    block_offset_ = 0;
    within_ = 0;
    block_bytes_ = current_.elements * size_of(current_.type);
  }

  std::span<const datatype::run> runs_;
  std::ptrdiff_t extent_;
  std::size_t left_;  // elements, this one included
  std::ptrdiff_t element_ = 0;
  datatype::run current_;
  std::size_t run_ = 0;
  std::size_t block_ = 0;
  std::ptrdiff_t block_offset_ = 0;
  std::size_t within_ = 0;
  std::size_t block_bytes_ = 0;
};

// Both shapes have the same signature. `f(offset_a, offset_b, type, bytes)` returns an errc; the
// first failure ends the walk.
template <class F>
errc for_each_pair(const shape& a, const shape& b, F f) {
  layout_cursor x(a), y(b);
  while (!x.done() && !y.done()) {
    const std::size_t n = std::min(x.bytes(), y.bytes());
    if (const errc e = f(x.offset(), y.offset(), x.type(), n); e != errc::success) return e;
    x.advance(n);
    y.advance(n);
  }
  return errc::success;
}

// The same, equal blocks on both sides at a time: what strided walks spend their time in. A side
// whose piece is longer than the other's blocks counts as blocks that touch. `f` gets a side's
// offset and stride, and then the other's, the type, the bytes of a block and how many there are.
template <class F>
errc for_each_blocks(const shape& a, const shape& b, F f) {
  layout_cursor x(a), y(b);
  while (!x.done() && !y.done()) {
    const std::size_t bytes = std::min(x.bytes(), y.bytes());
    const auto dense = static_cast<std::ptrdiff_t>(bytes);
    const bool x_blocks = x.at_block() && x.bytes() == bytes;
    const bool y_blocks = y.at_block() && y.bytes() == bytes;
    const std::size_t x_many = x_blocks ? x.blocks() : x.bytes() / bytes;
    const std::size_t y_many = y_blocks ? y.blocks() : y.bytes() / bytes;
    const std::size_t n = std::min(x_many, y_many);
    if (const errc e = f(x.offset(), x_blocks ? x.stride() : dense, y.offset(),
                         y_blocks ? y.stride() : dense, x.type(), bytes, n);
        e != errc::success)
      return e;
    x_blocks ? x.advance_blocks(n) : x.advance(n * bytes);
    y_blocks ? y.advance_blocks(n) : y.advance(n * bytes);
  }
  return errc::success;
}

// Copies blocks of `bytes` bytes, as often as there are blocks.
void copy_blocks(const std::byte* from, std::ptrdiff_t from_stride, std::byte* to,
                 std::ptrdiff_t to_stride, std::size_t bytes, std::size_t blocks) noexcept;

// Copies what `from` lays out to where `to` does. Same signature; the buffers do not overlap.
// Without data, the addresses may be anything.
void copy_between(const std::byte* from, const shape& from_shape, std::byte* to,
                  const shape& to_shape) noexcept;

// To and from one dense run, in typemap order.
void pack(const std::byte* from, const shape& layout, std::byte* to) noexcept;
void unpack(const std::byte* from, std::byte* to, const shape& layout) noexcept;
// At most `most` bytes from where `at` stands, which moves on; returns how many.
std::size_t pack_some(const std::byte* from, layout_cursor& at, std::byte* to,
                      std::size_t most) noexcept;
std::size_t unpack_some(const std::byte* from, std::byte* to, layout_cursor& at,
                        std::size_t most) noexcept;

}  // namespace oriel::win
