// How many bits a Bloom filter has and where a key's are: plain arithmetic, nothing here touches
// memory.
//
// A key's bits all lie in one word of 64: a key is one line of a processor's cache and one entry of
// a list of operations. The price is that words fill unevenly, so that the filter has more bits
// than one whose keys choose bits anywhere (docs/CONTAINERS.md has a table).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "oriel/hash_map/table_layout.hpp"

namespace oriel::detail {

inline constexpr double bits_of_word = 64;

// Returns how often a key that is not in the filter seems to be, where each key has `hashes` bits,
// chosen independently, and there are `bits_per_key` bits for each key that is in. The number of
// keys of a word is Poisson's.
inline double false_positives(double bits_per_key, int hashes) {
  const double mean = bits_of_word / bits_per_key;
  const double left_by_one = std::pow(1 - 1 / bits_of_word, hashes);
  double keys = std::exp(-mean), unset = 1, sum = 0;  // of words with i keys
  const int most = static_cast<int>(mean + 12 * std::sqrt(mean)) + 20;
  for (int i = 0; i <= most; ++i) {
    sum += keys * std::pow(1 - unset, hashes);
    keys *= mean / (i + 1);
    unset *= left_by_one;
  }
  return sum;
}

struct bloom_shape {
  std::uint64_t words = 0;  // of each rank, whole lines; below 2^32. 0: there is no such filter
  std::uint64_t ranks = 1;
  int hashes = 1;

  static constexpr std::uint64_t words_of_line = 8;
  static constexpr int most_hashes = 10;  // of 6 bits each, from one word of hash

  // Returns the smallest filter for so many keys of all ranks at this rate.
  static bloom_shape of(std::uint64_t expected, std::uint64_t ranks, double rate) {
    bloom_shape shape{0, ranks, 1};
    if (!(rate > 0 && rate < 1)) return shape;
    double best = 1, bits = 1;
    while (best > rate && bits < 512) {
      bits *= 1.01;
      for (int k = 1; k <= most_hashes; ++k)
        if (const double f = false_positives(bits, k); f < best) {
          best = f;
          shape.hashes = k;
        }
    }
    const double per_rank = static_cast<double>(expected) / static_cast<double>(ranks);
    const double lines = std::ceil(per_rank * bits / (bits_of_word * words_of_line));
    if (best <= rate && lines < 0x1p29)
      shape.words = words_of_line * std::max<std::uint64_t>(1, static_cast<std::uint64_t>(lines));
    return shape;
  }

  // --- A key, by its hash ------------------------------------------------------------------------
  // Its rank comes from the high bits, its word from the low ones, and its bits from another hash.
  [[nodiscard]] std::int32_t owner(std::uint64_t h) const noexcept {
    return static_cast<std::int32_t>(((h >> 32) * ranks) >> 32);
  }
  [[nodiscard]] std::uint64_t word(std::uint64_t h) const noexcept {
    return ((h & 0xffffffffu) * words) >> 32;
  }
  [[nodiscard]] std::uint64_t bits(std::uint64_t h) const noexcept {
    std::uint64_t set = 0;
    std::uint64_t choices = mix(h ^ 0x9e3779b97f4a7c15u);
    for (int k = 0; k < hashes; ++k, choices >>= 6) set |= std::uint64_t{1} << (choices & 63);
    return set;
  }
};

}  // namespace oriel::detail
