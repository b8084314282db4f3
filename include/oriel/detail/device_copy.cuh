// Copies that the threads of a scope share: neighbours copy neighbouring pieces of 16 bytes where
// both sides can be aligned to them, of less where not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "oriel/detail/device_scope.cuh"
#include "oriel/detail/device_word.cuh"

namespace oriel::detail::device {

struct [[gnu::may_alias]] alignas(16) wide_piece {
  unsigned long long halves[2];
};
template <std::size_t Bytes>
struct piece {
  using type = word_t<Bytes>;
};
template <>
struct piece<16> {
  using type = wide_piece;
};

// `n` pieces. Four loads are under way before the first store, since the compiler may not assume
// that the sides do not overlap; compilers would unroll the loops further, which gains nothing and
// makes every kernel that copies many times its size.
template <std::size_t Bytes>
ORIEL_DEVICE inline void copy_pieces(std::byte* to, const std::byte* from, std::size_t n,
                                     membership me) noexcept {
  using P = typename piece<Bytes>::type;
  auto* const t = reinterpret_cast<P*>(to);
  const auto* const f = reinterpret_cast<const P*>(from);
  const std::size_t step = me.size;
  std::size_t i = me.index;
#if defined(ORIEL_DEVICE_CUDA) || defined(ORIEL_DEVICE_HIP)
#pragma unroll 1
#endif
  for (; i + 3 * step < n; i += 4 * step) {
    const P a = f[i], b = f[i + step], c = f[i + 2 * step], d = f[i + 3 * step];
    t[i] = a;
    t[i + step] = b;
    t[i + 2 * step] = c;
    t[i + 3 * step] = d;
  }
  for (int left = 0; left < 3 && i < n; ++left, i += step) t[i] = f[i];
}

// In pieces of `Wide` bytes, with the ends, which do not fill one, in pieces of `Unit`.
template <std::size_t Unit, std::size_t Wide>
ORIEL_DEVICE inline void copy_wide(std::byte* to, const std::byte* from, std::size_t bytes,
                                   membership me) noexcept {
  std::size_t head = (Wide - reinterpret_cast<std::uintptr_t>(to) % Wide) % Wide;
  if (head > bytes) head = bytes;
  const std::size_t body = (bytes - head) / Wide;
  const std::size_t done = head + body * Wide;
  copy_pieces<Unit>(to, from, head / Unit, me);
  copy_pieces<Wide>(to + head, from + head, body, me);
  copy_pieces<Unit>(to + done, from + done, (bytes - done) / Unit, me);
}

// This member's share of the copy. Requires: both sides and `bytes` are multiples of Unit, which is
// 1, 2, 4 or 8; no aligned Unit tears.
template <std::size_t Unit>
ORIEL_DEVICE inline void copy_share(void* to, const void* from, std::size_t bytes,
                                    membership me) noexcept {
  auto* const t = static_cast<std::byte*>(to);
  const auto* const f = static_cast<const std::byte*>(from);
  const auto apart = reinterpret_cast<std::uintptr_t>(t) ^ reinterpret_cast<std::uintptr_t>(f);
  if (apart % 16 == 0)
    copy_wide<Unit, 16>(t, f, bytes, me);
  else if (Unit < 4 && apart % 4 == 0)
    copy_wide<Unit, 4>(t, f, bytes, me);
  else
    copy_pieces<Unit>(t, f, bytes / Unit, me);
}

// The largest unit that every run of T consists of.
template <class T>
inline constexpr std::size_t copy_unit = alignof(T) < 8 ? alignof(T) : 8;

}  // namespace oriel::detail::device
