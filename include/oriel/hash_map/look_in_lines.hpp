// Looks into cache lines of packed slots for keys, by vectors of four words where the processor has
// them, and without a branch on what a line holds: a wrong guess costs as much as a line that comes
// from memory. A line is four slots, of a complemented key and a value each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace oriel::detail {

inline constexpr std::size_t line_slots = 4;
// So many lines are looked into together.
inline constexpr std::size_t lines_of_block = 64;

// Keys of a batch, complemented, and the lines that their probe sequences begin with.
struct line_block {
  std::array<std::uint64_t*, lines_of_block> lines;
  std::array<std::uint64_t, lines_of_block> wanted;
  std::array<std::uint8_t, lines_of_block> first;  // slot of the line, which is visited first
};

// What the slots of a line are, a bit each.
struct line_view {
  unsigned holding;  // the key
  unsigned empty;
  unsigned unclear;  // tombstones and slots that are being written
};
// Where a key goes: to the slot that holds it, or to the first empty one.
class line_place {
 public:
  line_place() noexcept {}  // NOLINT: arrays of places are not cleared
  line_place(unsigned slot, bool holds, bool is_full, bool is_unclear) noexcept
      : bits_(static_cast<std::uint8_t>(slot | (holds ? 4u : 0u) | (is_full ? 8u : 0u) |
                                        (is_unclear ? 16u : 0u))) {}
  [[nodiscard]] std::size_t slot() const noexcept { return bits_ & 3u; }
  [[nodiscard]] bool holds() const noexcept { return (bits_ & 4u) != 0; }
  // Of other keys, and will stay so.
  [[nodiscard]] bool is_full() const noexcept { return (bits_ & 8u) != 0; }
  [[nodiscard]] bool is_unclear() const noexcept { return (bits_ & 16u) != 0; }
  friend bool operator==(const line_place&, const line_place&) noexcept = default;

 private:
  std::uint8_t bits_;
};

// By the first slot to visit and those that are empty: the first empty one (table_shape::probe).
inline constexpr auto first_empty = [] {
  std::array<std::array<std::uint8_t, 16>, line_slots> table{};
  for (unsigned first = 0; first < line_slots; ++first)
    for (unsigned empty = 0; empty < 16; ++empty)
      for (unsigned i = line_slots; i-- > 0;)
        if ((empty >> (first ^ i) & 1) != 0)
          table[first][empty] = static_cast<std::uint8_t>(first ^ i);
  return table;
}();

inline line_place place_in(const line_view& line, unsigned first) noexcept {
  const bool holds = line.holding != 0, is_unclear = !holds && line.unclear != 0;
  return {first_empty[first][holds ? line.holding : line.empty], holds,
          !holds && !is_unclear && line.empty == 0, is_unclear};
}

// Compares all slots of a line and selects the value by masks: a processor predicts well whether
// the key is in the line, and not in which slot. No rank writes it meanwhile. Returns all ones
// where it is, 0 where it is not; `value` is 0 then.
inline std::uint64_t pick_from(const std::uint64_t* line, std::uint64_t wanted,
                               std::uint64_t& value) noexcept {
  std::uint64_t any = 0, picked = 0;
  for (std::size_t i = 0; i < line_slots; ++i) {
    const std::uint64_t mask = line[2 * i] == wanted ? ~std::uint64_t{0} : std::uint64_t{0};
    any |= mask;
    picked |= line[2 * i + 1] & mask;
  }
  value = picked;
  return any;
}

// Writes the value of the key of line k to picked[k], or 0. No rank writes the lines meanwhile.
// Returns a bit for each that does not have its key.
inline std::uint64_t pick_by_words(const line_block& block, std::size_t n,
                                   std::uint64_t* picked) noexcept {
  std::uint64_t missing = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint64_t here = pick_from(block.lines[k], block.wanted[k], picked[k]);
    missing |= (~here & 1) << k;
  }
  return missing;
}

// Where each key goes, while other ranks may take slots: an empty one may be theirs by now.
inline void find_places_by_words(const line_block& block, std::size_t n,
                                 line_place* places) noexcept {
  for (std::size_t k = 0; k < n; ++k) {
    line_view seen{0, 0, 0};
    for (std::size_t i = 0; i < line_slots; ++i) {
      const std::uint64_t now = __atomic_load_n(block.lines[k] + 2 * i, __ATOMIC_ACQUIRE);
      seen.holding |= (now == block.wanted[k] ? 1u : 0u) << i;
      seen.empty |= (now == 0 ? 1u : 0u) << i;
      seen.unclear |= (now == 1 || now == 2 ? 1u : 0u) << i;
    }
    places[k] = place_in(seen, block.first[k]);
  }
}

#if defined(__x86_64__) && !defined(__NVCC__)
#define ORIEL_HAS_LINE_VECTORS

using four_words [[gnu::vector_size(32)]] = std::uint64_t;

[[gnu::target("avx2")]] inline std::uint64_t pick_by_vectors(const line_block& block, std::size_t n,
                                                             std::uint64_t* picked) noexcept {
  std::uint64_t missing = 0;
  for (std::size_t k = 0; k < n; ++k) {
    four_words low, high;
    std::memcpy(&low, block.lines[k], sizeof low);
    std::memcpy(&high, block.lines[k] + 4, sizeof high);
    const four_words keys = __builtin_shufflevector(low, high, 0, 4, 2, 6);
    const four_words values = __builtin_shufflevector(low, high, 1, 5, 3, 7);
    const auto hits = reinterpret_cast<four_words>(keys == block.wanted[k]);
    const four_words hit_values = values & hits;
    picked[k] = hit_values[0] | hit_values[1] | hit_values[2] | hit_values[3];
    missing |= (~(hits[0] | hits[1] | hits[2] | hits[3]) & 1) << k;
  }
  return missing;
}

// A processor that has these vectors reads each aligned word of one whole; the compiler is not told
// that other ranks write, and sees one load.
[[gnu::target("avx2"), gnu::no_sanitize_thread]] inline void find_places_by_vectors(
    const line_block& block, std::size_t n, line_place* places) noexcept {
  using four_doubles [[gnu::vector_size(32)]] = double;
  const auto bits = [](auto mask) __attribute__((target("avx2"), always_inline)) {
    return static_cast<unsigned>(__builtin_ia32_movmskpd256(reinterpret_cast<four_doubles>(mask)));
  };
  for (std::size_t k = 0; k < n; ++k) {
    four_words low, high;
    std::memcpy(&low, block.lines[k], sizeof low);
    std::memcpy(&high, block.lines[k] + 4, sizeof high);
    asm volatile("" : "+x"(low), "+x"(high));  // what follows is of one look
    const four_words interleaved = __builtin_shufflevector(low, high, 0, 4, 2, 6);
    const four_words keys = __builtin_shufflevector(interleaved, interleaved, 0, 2, 1, 3);
    places[k] =
        place_in({bits(keys == block.wanted[k]), bits(keys == 0), bits((keys == 1) | (keys == 2))},
                 block.first[k]);
  }
}
#endif

inline std::uint64_t pick(const line_block& block, std::size_t n, std::uint64_t* picked) noexcept {
#if defined(ORIEL_HAS_LINE_VECTORS)
  if (__builtin_cpu_supports("avx2") != 0) return pick_by_vectors(block, n, picked);
#endif
  return pick_by_words(block, n, picked);
}
inline void find_places(const line_block& block, std::size_t n, line_place* places) noexcept {
#if defined(ORIEL_HAS_LINE_VECTORS)
  if (__builtin_cpu_supports("avx2") != 0) return find_places_by_vectors(block, n, places);
#endif
  find_places_by_words(block, n, places);
}

}  // namespace oriel::detail
