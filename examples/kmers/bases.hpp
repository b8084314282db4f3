// FASTA text as kernels take it: one base a byte, so that every thread finds its window by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "examples/wordcount/input.hpp"
#include "oriel/device_marks.hpp"

namespace kmers {

// Windows do not go on over a header or a letter other than ACGT.
inline constexpr std::uint8_t no_base = 4;
inline constexpr std::uint64_t no_kmer = ~std::uint64_t{0};

struct base_run {
  std::vector<std::uint8_t> bases;  // 0 to 3, or no_base
  std::size_t starts = 0;           // the first so many are the part's; windows begin there
};
// The bases of a part, and those behind it that its last windows of `k` need.
base_run bases_of(const wordcount::part&, int k);

// The code of the `k` bases from `at` on, two bits a base; no_kmer where they are not all bases.
ORIEL_DEVICE inline std::uint64_t kmer_at(const std::uint8_t* bases, std::size_t n, std::size_t at,
                                          int k) {
  if (at + static_cast<std::size_t>(k) > n) return no_kmer;
  std::uint64_t code = 0;
  for (int i = 0; i < k; ++i) {
    const std::uint8_t b = bases[at + static_cast<std::size_t>(i)];
    if (b == no_base) return no_kmer;
    code = (code << 2) | b;
  }
  return code;
}

}  // namespace kmers
