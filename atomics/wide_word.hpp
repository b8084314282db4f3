// Sixteen bytes at once: cmpxchg16b, which every x86-64 of the last 15 years has. Elsewhere the
// stripes serve elements of this size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oriel::atomics {

inline constexpr std::size_t wide_bytes = 16;

#if defined(__x86_64__)
#define ORIEL_WIDE_SWAP 1
inline constexpr bool has_wide_swap = true;
__extension__ using wide_word [[gnu::may_alias]] = unsigned __int128;

// REQUIRES: 16-byte alignment. Returns the value before. Written out because the compilers'
// builtins become calls where it matters: __atomic to libatomic, and both kinds, under the thread
// sanitizer, to a lock that is private to the process.
inline wide_word swap_wide(void* target, wide_word expected, wide_word desired) noexcept {
  auto low = static_cast<std::uint64_t>(expected);
  auto high = static_cast<std::uint64_t>(expected >> 64);
  asm volatile("lock cmpxchg16b %0"
               : "+m"(*static_cast<wide_word*>(target)), "+a"(low), "+d"(high)
               : "b"(static_cast<std::uint64_t>(desired)),
                 "c"(static_cast<std::uint64_t>(desired >> 64))
               : "cc", "memory");
  return static_cast<wide_word>(high) << 64 | low;
}

// A first guess for a compare-and-swap loop. The halves may come from different moments: the swap
// then fails and gives the true value.
inline wide_word guess_wide(const void* target) noexcept {
  using half [[gnu::may_alias]] = std::uint64_t;
  const auto* const halves = static_cast<const half*>(target);
  const wide_word low = __atomic_load_n(halves, __ATOMIC_RELAXED);
  const wide_word high = __atomic_load_n(halves + 1, __ATOMIC_RELAXED);
  return high << 64 | low;
}
#else
#define ORIEL_WIDE_SWAP 0
inline constexpr bool has_wide_swap = false;
#endif

}  // namespace oriel::atomics
