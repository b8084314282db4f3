// Sixteen bytes at once: cmpxchg16b where the CPU has it (every x86-64 of the last 15 years; built
// with -mcx16). Elsewhere the stripes serve elements of this size.
#pragma once

#include <cstddef>
#include <cstring>

namespace oriel::atomics {

inline constexpr std::size_t wide_bytes = 16;

#if defined(__x86_64__) && defined(__GCC_HAVE_SYNC_COMPARE_AND_SWAP_16)
inline constexpr bool has_wide_swap = true;
__extension__ using wide_word [[gnu::may_alias]] = unsigned __int128;

// REQUIRES: 16-byte alignment. Returns the value before. The __sync form is the one that compilers
// inline: __atomic on 16 bytes calls libatomic.
inline wide_word swap_wide(void* target, wide_word expected, wide_word desired) noexcept {
  return __sync_val_compare_and_swap(static_cast<wide_word*>(target), expected, desired);
}

// A first guess for a compare-and-swap loop. The halves may come from different moments: the swap
// then fails and gives the true value.
inline wide_word guess_wide(const void* target) noexcept {
  using half [[gnu::may_alias]] = unsigned long;
  const auto* const halves = static_cast<const half*>(target);
  const wide_word low = __atomic_load_n(halves, __ATOMIC_RELAXED);
  const wide_word high = __atomic_load_n(halves + 1, __ATOMIC_RELAXED);
  return high << 64 | low;
}
#else
inline constexpr bool has_wide_swap = false;
#endif

}  // namespace oriel::atomics
