// The free and the taken blocks of one zone of the arena, kept in the arena itself: an array sorted
// by offset, first fit, neighbours merged when freed. Made for tens of thousands of blocks. The
// caller holds the arena's lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace oriel::boot {

class block_table {
 public:
  static constexpr std::size_t most_blocks = 16384;

  // One free block.
  void reset(std::uint64_t first, std::uint64_t bytes) noexcept;

  struct taken {
    std::uint64_t offset = 0;
    bool dirty = false;  // bytes of an earlier block may be left in it
  };
  // Nothing when no free block is large enough or the table is full.
  std::optional<taken> take(std::uint64_t bytes, std::uint64_t alignment) noexcept;
  // The size of the taken block at `offset`; nothing when there is none.
  [[nodiscard]] std::optional<std::uint64_t> size_at(std::uint64_t offset) const noexcept;
  // Returns false when no taken block starts there.
  bool give_back(std::uint64_t offset, bool dirty) noexcept;
  [[nodiscard]] std::uint64_t used_bytes() const noexcept { return used_; }
  [[nodiscard]] std::size_t blocks() const noexcept { return count_; }

 private:
  struct block {
    std::uint64_t offset;
    std::uint64_t bytes;
    bool is_free;
    bool dirty;
  };
  [[nodiscard]] std::size_t find(std::uint64_t offset) const noexcept;
  void insert(std::size_t i, const block& b) noexcept;
  void erase(std::size_t i) noexcept;

  std::size_t count_;
  std::uint64_t used_;
  std::array<block, most_blocks> blocks_;
};

}  // namespace oriel::boot
