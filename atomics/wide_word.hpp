// Sixteen bytes at once, on x86-64 processors that both swap and read as many: cmpxchg16b, and
// movdqa where it is atomic. cmpxchg16b alone does not do: it writes even where it changes nothing,
// and so reads no memory that may only be read. Elsewhere the stripes serve elements of this size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace oriel::atomics {

inline constexpr std::size_t wide_bytes = 16;

#if defined(__x86_64__)
#define ORIEL_WIDE_SWAP 1
inline constexpr bool has_wide_swap = true;
__extension__ using wide_word [[gnu::may_alias]] = unsigned __int128;

// Requires: 16-byte alignment. Returns the value before; writes in any case. Written out because
// the compilers' builtins become calls where it matters: __atomic to libatomic, and both kinds,
// under the thread sanitizer, to a lock that is private to the process.
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

// Aligned loads of 16 bytes are atomic on Intel's and AMD's processors that have AVX (Intel SDM
// volume 3A, 9.1.1; AMD APM volume 2, 7.3.2). Others have made no such promise. The processes of a
// node agree about it, since they run on one machine.
inline bool wide_is_atomic() noexcept {
  return __builtin_cpu_supports("avx") != 0 &&
         (__builtin_cpu_is("intel") != 0 || __builtin_cpu_is("amd") != 0);
}

// Requires: 16-byte alignment, wide_is_atomic().
inline wide_word load_wide(const void* target) noexcept {
  using halves [[gnu::vector_size(wide_bytes)]] = long long;
  halves seen;
  asm volatile("movdqa %1, %0"
               : "=x"(seen)
               : "m"(*static_cast<const wide_word*>(target))
               : "memory");
  return __builtin_bit_cast(wide_word, seen);
}
#else
#define ORIEL_WIDE_SWAP 0
inline constexpr bool has_wide_swap = false;
inline bool wide_is_atomic() noexcept {
  return false;
}
#endif

}  // namespace oriel::atomics
