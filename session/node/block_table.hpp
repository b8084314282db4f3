// The free and the taken blocks of one zone of the arena, kept in the arena itself: one tag a
// granule of the zone, and lists of the free blocks of about one size (two-level segregated fit).
// Taking and giving back take constant time however many blocks there are, unless the zone is
// nearly full; neighbours are merged when freed. The caller holds the arena's lock.
//
// The beginnings and sizes of the taken blocks are the state from which the rest can be rebuilt:
// each becomes taken, and free, by one store. So a process may die at any instruction of `take` and
// `give_back`; the next holder of the lock calls `rebuild`.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace oriel::sessions {

// What is known where a block begins, and of free blocks also where they end. Zeroed memory is tags
// at which nothing begins.
struct block_tag {
  enum class kind : std::uint32_t { none, taken, free };
  static constexpr unsigned size_bits = 29;
  static constexpr std::uint32_t most = (1u << size_bits) - 1;

  std::uint32_t block;     // what begins here: granules, kind, dirty, in one word
  std::uint32_t begin;     // of the free block that ends here
  std::uint32_t previous;  // in the list of free blocks
  std::uint32_t next;

  [[nodiscard]] std::uint32_t granules() const noexcept { return block & most; }
  [[nodiscard]] bool is(kind k) const noexcept {
    return (block >> size_bits & 3u) == static_cast<std::uint32_t>(k);
  }
  // Bytes of an earlier block may be left in it.
  [[nodiscard]] bool dirty() const noexcept { return block >> 31 != 0; }
  // One store.
  void set(kind k, std::uint32_t granules = 0, bool dirty = false) noexcept {
    std::atomic_ref(block).store(
        granules | static_cast<std::uint32_t>(k) << size_bits | (dirty ? 1u << 31 : 0u),
        std::memory_order_release);
  }
};

class block_table {
 public:
  // One free block of `bytes` from offset `first` on, in granules of `granule` bytes, a power of 2.
  // The tags are given to every call, since processes map them at different addresses.
  void reset(block_tag* tags, std::uint64_t first, std::uint64_t bytes,
             std::uint64_t granule) noexcept;

  // A part of a free block that is large enough.
  struct fit {
    std::uint32_t from = 0;   // the free block,
    std::uint32_t start = 0;  // and the part's granules
    std::uint32_t granules = 0;
    std::uint64_t offset = 0;
    bool dirty = false;  // bytes of an earlier block may be left in it
  };
  // Nothing when no free block is large enough. Alignment: a power of two.
  [[nodiscard]] std::optional<fit> look(const block_tag* tags, std::uint64_t bytes,
                                        std::uint64_t alignment) const noexcept;
  // How many tags, from the first on, are read and written by taking the part, and by whatever was
  // done before.
  [[nodiscard]] std::uint64_t tags_below(const fit& f) const noexcept {
    return std::uint64_t{f.start} + f.granules + 1;
  }
  // Requires: nothing has been taken or given back since `look`.
  void take(block_tag* tags, const fit&) noexcept;

  // The size of the taken block at `offset`; nothing when there is none.
  [[nodiscard]] std::optional<std::uint64_t> size_at(const block_tag* tags,
                                                     std::uint64_t offset) const noexcept;
  // Returns false when no taken block starts there.
  bool give_back(block_tag* tags, std::uint64_t offset, bool dirty) noexcept;
  // Makes all but the taken blocks again, of which all that is free counts as dirty. Only the first
  // `present` tags exist. Takes time in proportion to them.
  void rebuild(block_tag* tags, std::uint64_t present) noexcept;
  [[nodiscard]] std::uint64_t used_bytes() const noexcept { return bytes_of(used_); }

 private:
  // Sizes below 8 granules have a list each, larger ones 8 lists between two powers of two.
  static constexpr unsigned steps = 8;
  static constexpr unsigned lists = (29 - 2) * steps;
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};
  static unsigned list_of(std::uint32_t granules) noexcept;
  // The first list whose blocks all have so many granules.
  static unsigned list_for(std::uint32_t granules) noexcept;

  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t granules) const noexcept {
    return granules << log_;
  }
  // The granules that so many bytes touch.
  [[nodiscard]] std::uint64_t granules_in(std::uint64_t bytes) const noexcept {
    return (bytes + bytes_of(1) - 1) >> log_;
  }

  [[nodiscard]] std::optional<fit> part_of(const block_tag* tags, std::uint32_t block,
                                           std::uint32_t granules,
                                           std::uint64_t alignment) const noexcept;
  [[nodiscard]] std::optional<fit> search(const block_tag* tags, unsigned list, unsigned at_most,
                                          std::uint32_t granules,
                                          std::uint64_t alignment) const noexcept;
  // The first list from `list` on that has a block; `lists` when none has.
  [[nodiscard]] unsigned filled_from(unsigned list) const noexcept;
  [[nodiscard]] std::optional<std::uint32_t> taken_at(const block_tag* tags,
                                                      std::uint64_t offset) const noexcept;
  void make_free(block_tag* tags, std::uint32_t start, std::uint32_t granules, bool dirty) noexcept;
  // Takes a free block out of its list; nothing begins there any more.
  void unlist(block_tag* tags, std::uint32_t start) noexcept;

  std::uint64_t first_;
  std::uint32_t log_;       // of a granule's bytes
  std::uint32_t granules_;  // of the zone
  std::uint64_t used_;      // granules
  std::array<std::uint64_t, (lists + 63) / 64> filled_;
  std::array<std::uint32_t, lists> heads_;
};

}  // namespace oriel::sessions
