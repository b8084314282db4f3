// Counting on a device: what nvcc compiles (count.cu), for a program that it does not.
#pragma once

#include <cstddef>
#include <cstdint>

#include "examples/kmers/bases.hpp"
#include "oriel/hash_map.cuh"

namespace kmers {

using counts_ref =
    oriel::hash_map_ref<std::uint64_t, std::uint64_t, oriel::phase_kind::insert_only>;

// In memory of the device.
struct tally {
  unsigned long long kmers;     // counted, or tried to be
  unsigned long long failures;  // of those, for which the table had no room
};

// One thread's work: counts the window that begins at `at`, if one does.
struct counted_window {
  bool is_kmer = false;
  bool failed = false;
};
ORIEL_DEVICE inline counted_window count_at(const counts_ref& table, const std::uint8_t* bases,
                                            std::size_t n, std::size_t at, int k) {
  const std::uint64_t code = kmer_at(bases, n, at, k);
  if (code == no_kmer) return {};
  std::uint64_t before;
  return {true, table.fetch_add(code, 1, before) > oriel::slot_answer::present};
}

// Makes one of the machine's devices the calling thread's, in turn by `place`. Throws
// std::runtime_error.
void choose_device(int place);
// Counts the windows of `k` that begin at the first `starts` of `n` bases, and adds to `*sum`; done
// on return. `bases` lie in memory of the device. Throws std::runtime_error.
void count_on_device(const counts_ref&, const std::uint8_t* bases, std::size_t n,
                     std::size_t starts, int k, tally* sum);

}  // namespace kmers
