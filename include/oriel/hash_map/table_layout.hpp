// How a distributed hash table lies in memory: hash, owner, probe sequence and the words of a slot.
// Plain arithmetic, the same on the host and in kernels; nothing here touches the table.
//
// A slot is an array of 64-bit words. Its first word is its state, 0 when it is empty, so zeroed
// memory is an empty table. A slot goes from empty to taken, and then between taken and erased: it
// belongs permanently to the key that took it first, and is never empty again. So a key has one
// slot, two inserters of one key meet there, and a probe may stop at an empty one. An erased
// element leaves a tombstone, which identifies its key; only that key may take the slot again.
//
//   packed    key, value                    for keys and values of 8 bytes
//   general   state, key words, value words for all others
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "oriel/device_marks.hpp"
#include "oriel/slot_layout.hpp"

namespace oriel::detail {

// Bytes as 64-bit words, the last one padded with zeros. On a little-endian machine the first
// sizeof(T) bytes are the low ones, so that the word of an integer takes part in its arithmetic.
template <class T>
struct word_image {
  static constexpr unsigned size = (sizeof(T) + 7) / 8;
  std::uint64_t word[size];

  static ORIEL_DEVICE word_image of(const T& value) {
    word_image image;
    image.word[size - 1] = 0;
    // Of a copy: device compilers lose the alignment of what a reference names, and load bytes.
    const T copy = value;
    memcpy(image.word, static_cast<const void*>(&copy), sizeof(T));
    return image;
  }
  ORIEL_DEVICE T value() const {
    T value;
    memcpy(static_cast<void*>(&value), word, sizeof(T));
    return value;
  }
};

// splitmix64's finalizer: every bit of the key moves every bit of the hash, in two products.
constexpr ORIEL_DEVICE std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

template <class K>
ORIEL_DEVICE std::uint64_t hash_of(const word_image<K>& key) {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (unsigned i = 0; i < word_image<K>::size; ++i) h = mix(h ^ key.word[i]);
  return h;
}

// A dense table: lines of 128 bytes, of 16 bytes of marks and seven packed slots. Whoever finds a
// line full and goes on to another one first sets a mark, one of 128 that its key's hash chooses,
// so that a find in a full line goes on only where some key with this mark has.
inline constexpr std::uint64_t places_of_line = 8;  // the first one has the marks
inline constexpr std::uint64_t slots_of_line = places_of_line - 1;
inline constexpr std::uint64_t line_words = 2 * places_of_line;

// The owner and the slot of a hash: the owner by its high bits, the slot by its low ones.
struct table_shape {
  std::uint64_t mask = 0;   // sparse: slots of a rank, a power of two, less one
  std::uint64_t ranks = 1;  // below 2^32
  std::uint64_t lines = 0;  // dense: lines of a rank, below 2^32; else 0

  // Of a power of two of slots, or of a dense table's, a multiple of 7.
  [[nodiscard]] static constexpr ORIEL_DEVICE table_shape of(std::uint64_t slots,
                                                             std::uint64_t ranks) {
    if (slots % slots_of_line == 0) return {0, ranks, slots / slots_of_line};
    return {slots - 1, ranks, 0};
  }
  [[nodiscard]] constexpr ORIEL_DEVICE bool is_dense() const { return lines != 0; }
  [[nodiscard]] constexpr ORIEL_DEVICE std::uint64_t slots() const {
    return is_dense() ? lines * slots_of_line : mask + 1;
  }
  // Slots, and in dense tables what has the place of one.
  [[nodiscard]] constexpr ORIEL_DEVICE std::uint64_t places() const {
    return is_dense() ? lines * places_of_line : mask + 1;
  }
  [[nodiscard]] constexpr ORIEL_DEVICE std::uint64_t owner(std::uint64_t h) const {
    return ((h >> 32) * ranks) >> 32;
  }
  // Returns the slot of probe number `i`. `Group` slots share a cache line; a probe sequence visits
  // all of it before it fetches the next line, and first the slot beside the hash's own, which a
  // device fetches with it: 32 bytes at multiples of 32.
  template <unsigned Group>
  [[nodiscard]] constexpr ORIEL_DEVICE std::uint64_t probe(std::uint64_t h, std::uint64_t i) const {
    const std::uint64_t line = (h & ~std::uint64_t{Group - 1}) + (i & ~std::uint64_t{Group - 1});
    return (line | ((h ^ i) & (Group - 1))) & mask;
  }

  // --- Dense tables ------------------------------------------------------------------------------
  // Returns the k-th line of a probe sequence: by steps of the hash's own, since lines that follow
  // each other fill together; then, where so many were full, all in turn.
  static constexpr std::uint64_t steps = 16;
  [[nodiscard]] constexpr ORIEL_DEVICE std::uint64_t dense_line(std::uint64_t h,
                                                                std::uint64_t k) const {
    const std::uint64_t by_step = k < steps ? k : 0;
    const std::uint64_t at = ((h + by_step * (h >> 32 | 1)) & 0xffffffffu) * lines >> 32;
    if (k < steps) return at;
    const std::uint64_t in_turn = at + k - steps;
    return in_turn < lines ? in_turn : in_turn - lines;
  }
  // Returns the place of probe number `i`: those of a line from the hash's own on, as in `probe`.
  [[nodiscard]] constexpr ORIEL_DEVICE std::uint64_t dense_probe(std::uint64_t h,
                                                                 std::uint64_t i) const {
    return dense_line(h, i / places_of_line) * places_of_line + ((h ^ i) & (places_of_line - 1));
  }
  [[nodiscard]] constexpr ORIEL_DEVICE std::uint64_t dense_probes() const {
    return (steps + lines) * places_of_line;
  }
  // The word of a line that has the hash's mark, and the mark.
  [[nodiscard]] static constexpr ORIEL_DEVICE unsigned mark_at(std::uint64_t h) {
    return static_cast<unsigned>(h >> 38 & 1);
  }
  [[nodiscard]] static constexpr ORIEL_DEVICE std::uint64_t mark_of(std::uint64_t h) {
    return std::uint64_t{1} << (h >> 32 & 63);
  }
};

// The fewest slots of a part: whole cache lines of every layout.
inline constexpr std::uint64_t fewest_slots = 8;

// A table of at least so many slots, a power of two, which its elements would fill beyond this load
// is dense instead: it has the slots that were asked for. Smaller ones lie in caches.
inline constexpr double most_sparse_load = 0.5;
inline constexpr double fewest_dense_slots = 1024;

// Returns the slots a rank for `expected` elements of all ranks; 0 where there is no such table.
// `may_be_dense`: the slots are packed, and the host does not load them: its batches look into
// lines of 64 bytes.
constexpr std::uint64_t slots_for(std::uint64_t expected, std::uint64_t ranks, double load,
                                  bool may_be_dense = false) {
  if (!(load > 0.0 && load <= 1.0) || ranks == 0) return 0;
  const double mean = static_cast<double>(expected) / static_cast<double>(ranks);
  // A hash does not distribute evenly: six standard deviations above the mean must fit as well.
  double deviation = 1.0;
  while (deviation * deviation < mean) deviation *= 2.0;
  const double crowded = ranks == 1 ? mean : mean + 6.0 * deviation;
  const double wanted = mean / load > crowded ? mean / load : crowded;
  if (wanted > 1e15) return 0;
  std::uint64_t slots = fewest_slots;
  while (static_cast<double>(slots) < wanted) slots *= 2;
  if (may_be_dense && mean > most_sparse_load * static_cast<double>(slots) &&
      wanted >= fewest_dense_slots && wanted < 4e9 * static_cast<double>(slots_of_line))
    return (static_cast<std::uint64_t>(wanted) / slots_of_line + 1) * slots_of_line;
  return slots;
}

template <class K, class V, slot_layout Asked = slot_layout::automatic>
struct hash_slot {
  static_assert(std::is_trivially_copyable_v<K> && std::is_trivially_copyable_v<V>,
                "keys and values of a hash_map are moved as bytes");
  static_assert(std::has_unique_object_representations_v<K>,
                "keys of a hash_map are compared as bytes: no padding, no floating point");
  static constexpr bool fits = sizeof(K) == 8 && sizeof(V) == 8;
  static_assert(Asked != slot_layout::packed || fits,
                "packed slots are for keys and values of 8 bytes");
  static constexpr bool packed = fits && Asked != slot_layout::general;
  static constexpr bool adds = std::is_integral_v<V> && !std::is_same_v<V, bool>;

  using key_image = word_image<K>;
  using value_image = word_image<V>;

  // Displacements in words, within a slot.
  static constexpr unsigned key_at = packed ? 0 : 1;
  static constexpr unsigned value_at = key_at + key_image::size;
  static constexpr unsigned words = value_at + value_image::size;
  // Slots of a cache line of 64 bytes, rounded down to a power of two.
  static constexpr unsigned group = words <= 2 ? 4 : words <= 4 ? 2 : 1;

  // --- The first word ----------------------------------------------------------------------------
  // Packed: the complement of the key, so that the key 0 is free to use, and the three highest keys
  // are reserved; a tombstone has the key's hash in the place of the value, and no two keys of 8
  // bytes have the same. General: state, 30 bits of version, 32 bits of hash; a tombstone keeps the
  // key. The version counts assignments and returns, so that a value of several words is whole
  // where its reader finds the same first word before and after.
  static constexpr std::uint64_t empty = 0;
  static constexpr std::uint64_t erased = 1;
  static constexpr std::uint64_t busy = 2;   // a thread writes the slot; general: with its hash
  static constexpr std::uint64_t ready = 3;  // general only
  static constexpr std::uint64_t state_bits = 3;
  static constexpr std::uint64_t version = 4;
  static constexpr std::uint64_t low_half = 0xffffffffu;

  static ORIEL_DEVICE bool reserved(const key_image& key) { return packed && ~key.word[0] <= busy; }
  static ORIEL_DEVICE std::uint64_t tag(std::uint64_t h) {
    return (h << 16) & ~low_half;  // bits 16 to 47: few of them chose the slot
  }
  static ORIEL_DEVICE std::uint64_t busy_word(std::uint64_t h) {
    return packed ? busy : (tag(h) | busy);
  }
  static ORIEL_DEVICE std::uint64_t ready_word(const key_image& key, std::uint64_t h) {
    return packed ? ~key.word[0] : (tag(h) | ready);
  }
  // The busy and the next ready word of a general slot that is ready now.
  static ORIEL_DEVICE std::uint64_t locked(std::uint64_t now) { return now ^ (ready ^ busy); }
  static ORIEL_DEVICE std::uint64_t assigned(std::uint64_t now) {
    return (now & ~low_half) | ((now + version) & low_half);
  }
  // Of a slot that is taken now: what erasing it leaves. Of a tombstone: while its key takes it
  // again, and once it has.
  static ORIEL_DEVICE std::uint64_t erased_word(std::uint64_t now) {
    return packed ? erased : now ^ (ready ^ erased);
  }
  static ORIEL_DEVICE std::uint64_t returning(std::uint64_t now) {
    return packed ? busy : now ^ (erased ^ busy);
  }
  static ORIEL_DEVICE std::uint64_t returned(std::uint64_t now, const key_image& key) {
    return packed ? ~key.word[0] : assigned(now) ^ (erased ^ ready);
  }
  // Whether it is a tombstone; of a general slot, whether its key is worth comparing.
  static ORIEL_DEVICE bool is_tombstone(std::uint64_t now, std::uint64_t h) {
    return packed ? now == erased : ((now & state_bits) == erased && (now & ~low_half) == tag(h));
  }
  // Whether a slot with this first word is being written and may turn out to hold the key.
  static ORIEL_DEVICE bool undecided(std::uint64_t now, std::uint64_t h) {
    return packed ? now == busy : ((now & state_bits) == busy && (now & ~low_half) == tag(h));
  }
  // Whether it holds the key; of a general slot, whether its key is worth comparing.
  static ORIEL_DEVICE bool matches(std::uint64_t now, const key_image& key, std::uint64_t h) {
    return packed ? now == ~key.word[0]
                  : ((now & state_bits) == ready && (now & ~low_half) == tag(h));
  }
  static ORIEL_DEVICE bool taken(std::uint64_t now) {
    return packed ? now > busy : (now & state_bits) == ready;
  }
};

}  // namespace oriel::detail
