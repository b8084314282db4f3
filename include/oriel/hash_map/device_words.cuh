// How kernels, and threads of the host in their place, reach the words of one rank's part of a hash
// table: its memory is mapped, a peer's through its IPC handle. table_part.hpp has the contract of
// each function.
#pragma once

#include <cstdint>

#include "oriel/detail/device_word.cuh"
#include "oriel/detail/host_pause.hpp"

namespace oriel::detail {

// Where others write. `Ordered`: loads acquire, since a word publishes others, and cost more than a
// look; packed slots of phases that only insert publish nothing.
template <bool Ordered>
class device_words {
 public:
  static constexpr bool tries_first = false;
  static constexpr bool peeks = Ordered;
  ORIEL_DEVICE explicit device_words(std::uint64_t* base)
      : base_(reinterpret_cast<device::word64*>(base)) {}

  [[nodiscard]] ORIEL_DEVICE std::uint64_t load(std::uint64_t i) const {
    if constexpr (Ordered)
      return device::load_acquire(base_ + i);
    else
      return device::load_relaxed(base_ + i);
  }
  [[nodiscard]] ORIEL_DEVICE std::uint64_t peek(std::uint64_t i) const {
    return device::load_relaxed(base_ + i);
  }
  ORIEL_DEVICE void read(std::uint64_t i, unsigned n, std::uint64_t* to) const {
    for (unsigned k = 0; k < n; ++k) to[k] = device::load_relaxed(base_ + i + k);
  }
  ORIEL_DEVICE void write(std::uint64_t i, unsigned n, const std::uint64_t* from) {
    for (unsigned k = 0; k < n; ++k) device::store_relaxed(base_ + i + k, from[k]);
  }
  ORIEL_DEVICE void publish(std::uint64_t i, std::uint64_t w) {
    device::store_release(base_ + i, w);
  }
  ORIEL_DEVICE std::uint64_t compare_swap(std::uint64_t i, std::uint64_t expected,
                                          std::uint64_t desired) {
    return device::compare_exchange(base_ + i, expected, desired);
  }
  ORIEL_DEVICE std::uint64_t add(std::uint64_t i, std::uint64_t operand) {
    return device::fetch_add(base_ + i, operand);
  }
  // Of a value of one word: nothing is published with it.
  ORIEL_DEVICE void replace(std::uint64_t i, std::uint64_t w) {
    device::store_relaxed(base_ + i, w);
  }
  ORIEL_DEVICE void order() const { device::fence(); }
  // On devices a tenth of a second and more, in which a running writer finishes a slot.
  [[nodiscard]] ORIEL_DEVICE bool pause(std::uint32_t attempt) const {
#if defined(ORIEL_DEVICE_CUDA) || defined(ORIEL_DEVICE_HIP)
    device::pause();
    return attempt < (1u << 20);
#else
    return host_pause(attempt);
#endif
  }

 private:
  device::word64* base_;
};

// Where no thread writes: plain loads.
class quiet_words {
 public:
  static constexpr bool peeks = false;
  ORIEL_DEVICE explicit quiet_words(const std::uint64_t* base) : base_(base) {}
  [[nodiscard]] ORIEL_DEVICE std::uint64_t load(std::uint64_t i) const { return base_[i]; }
  ORIEL_DEVICE void read(std::uint64_t i, unsigned n, std::uint64_t* to) const {
    for (unsigned k = 0; k < n; ++k) to[k] = base_[i + k];
  }
  ORIEL_DEVICE void order() const {}
  // No writer is running: one that left a slot unfinished has died.
  [[nodiscard]] ORIEL_DEVICE bool pause(std::uint32_t) const { return false; }

 private:
  const std::uint64_t* base_;
};

// A packed slot where no thread writes, in one load of 16 bytes. The first-level cache keeps it, so
// that loads of two slots in one sector are one fetch.
struct alignas(16) packed_pair {
  std::uint64_t key;
  std::uint64_t value;
};
ORIEL_DEVICE inline packed_pair load_pair(const std::uint64_t* slot) {
  packed_pair pair;
#if defined(ORIEL_DEVICE_CUDA)
  asm("ld.global.nc.v2.u64 {%0, %1}, [%2];"
      : "=l"(pair.key), "=l"(pair.value)
      : "l"(__cvta_generic_to_global(slot)));
#elif defined(ORIEL_DEVICE_HIP)
  pair = *reinterpret_cast<const packed_pair*>(slot);
#else
  pair = {slot[0], slot[1]};
#endif
  return pair;
}

}  // namespace oriel::detail
