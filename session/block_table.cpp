#include "session/block_table.hpp"

#include <algorithm>

namespace oriel::boot {

void block_table::reset(std::uint64_t first, std::uint64_t bytes) noexcept {
  count_ = 1;
  used_ = 0;
  blocks_[0] = {first, bytes, true, false};
}

void block_table::insert(std::size_t i, const block& b) noexcept {
  std::copy_backward(blocks_.begin() + i, blocks_.begin() + count_, blocks_.begin() + count_ + 1);
  blocks_[i] = b;
  ++count_;
}

void block_table::erase(std::size_t i) noexcept {
  std::copy(blocks_.begin() + i + 1, blocks_.begin() + count_, blocks_.begin() + i);
  --count_;
}

std::optional<block_table::taken> block_table::take(std::uint64_t bytes,
                                                    std::uint64_t alignment) noexcept {
  if (count_ + 2 > most_blocks) return std::nullopt;
  for (std::size_t i = 0; i < count_; ++i) {
    const block b = blocks_[i];
    if (!b.is_free) continue;
    const std::uint64_t start = (b.offset + alignment - 1) / alignment * alignment;
    const std::uint64_t before = start - b.offset;
    if (b.bytes < before || b.bytes - before < bytes) continue;
    const std::uint64_t after = b.bytes - before - bytes;
    blocks_[i] = {start, bytes, false, b.dirty};
    if (after != 0) insert(i + 1, {start + bytes, after, true, b.dirty});
    if (before != 0) insert(i, {b.offset, before, true, b.dirty});
    used_ += bytes;
    return taken{start, b.dirty};
  }
  return std::nullopt;
}

std::size_t block_table::find(std::uint64_t offset) const noexcept {
  const auto end = blocks_.begin() + count_;
  const auto at = std::lower_bound(blocks_.begin(), end, offset,
                                   [](const block& b, std::uint64_t o) { return b.offset < o; });
  return at != end && at->offset == offset && !at->is_free
             ? static_cast<std::size_t>(at - blocks_.begin())
             : count_;
}

std::optional<std::uint64_t> block_table::size_at(std::uint64_t offset) const noexcept {
  const std::size_t i = find(offset);
  return i == count_ ? std::nullopt : std::optional(blocks_[i].bytes);
}

bool block_table::give_back(std::uint64_t offset, bool dirty) noexcept {
  std::size_t i = find(offset);
  if (i == count_) return false;
  used_ -= blocks_[i].bytes;
  blocks_[i].is_free = true;
  blocks_[i].dirty = dirty;
  if (i + 1 < count_ && blocks_[i + 1].is_free) {
    blocks_[i].bytes += blocks_[i + 1].bytes;
    blocks_[i].dirty |= blocks_[i + 1].dirty;
    erase(i + 1);
  }
  if (i > 0 && blocks_[i - 1].is_free) {
    blocks_[i - 1].bytes += blocks_[i].bytes;
    blocks_[i - 1].dirty |= blocks_[i].dirty;
    erase(i);
  }
  return true;
}

}  // namespace oriel::boot
