// Accumulates on memory that no other thread accesses meanwhile: loops that the compiler
// vectorizes. Elements go through memcpy, so one loop serves every alignment; __restrict spares the
// overlap check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "atomics/kernels.hpp"
#include "oriel/detail/combine.hpp"

// For processors that the build does not ask for, as builds for x86-64 do not by default.
#if defined(__x86_64__)
#define ORIEL_WIDE_VECTORS [[gnu::target("avx2")]]
#else
#define ORIEL_WIDE_VECTORS
#endif

namespace oriel::atomics {

inline bool has_wide_vectors() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

// A bool's byte may be anything where bytes are put or come from other nodes: not 0 is true.
template <class T>
T load_at(const std::byte* run, std::size_t i) noexcept {
  if constexpr (std::is_same_v<T, bool>) return run[i] != std::byte{0};
  T value;
  std::memcpy(static_cast<void*>(&value), run + i * sizeof(T), sizeof(T));
  return value;
}
template <class T>
void store_at(std::byte* run, std::size_t i, const T& value) noexcept {
  std::memcpy(run + i * sizeof(T), static_cast<const void*>(&value), sizeof(T));
}

template <atomic_op Op, class T>
[[gnu::always_inline]] inline void plain_update(std::byte* __restrict target,
                                                const std::byte* __restrict origin,
                                                std::size_t n) noexcept {
  if constexpr (Op == atomic_op::no_op) return;
  if constexpr (Op == atomic_op::replace) {
    if (n != 0) std::memcpy(target, origin, n * sizeof(T));
  } else {
    for (std::size_t i = 0; i < n; ++i)
      store_at<T>(target, i, detail::combine<Op>(load_at<T>(target, i), load_at<T>(origin, i)));
  }
}
template <atomic_op Op, class T>
[[gnu::always_inline]] inline void plain_fetch(std::byte* __restrict target,
                                               const std::byte* __restrict origin,
                                               std::byte* __restrict result,
                                               std::size_t n) noexcept {
  if constexpr (Op == atomic_op::no_op || Op == atomic_op::replace) {
    if (n != 0) std::memcpy(result, target, n * sizeof(T));
    plain_update<Op, T>(target, origin, n);
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      const T before = load_at<T>(target, i);
      store_at<T>(result, i, before);
      store_at<T>(target, i, detail::combine<Op>(before, load_at<T>(origin, i)));
    }
  }
}

template <atomic_op Op, class T>
[[gnu::always_inline]] inline errc plain_body(void* target, const void* origin, void* result,
                                              std::size_t n) noexcept {
  auto* const t = static_cast<std::byte*>(target);
  const auto* const o = static_cast<const std::byte*>(origin);
  if (result == nullptr)
    plain_update<Op, T>(t, o, n);
  else
    plain_fetch<Op, T>(t, o, static_cast<std::byte*>(result), n);
  return errc::success;
}
template <atomic_op Op, class T>
errc plain_run(void* target, const void* origin, void* result, std::size_t n, stripes*,
               std::uint64_t) noexcept {
  return plain_body<Op, T>(target, origin, result, n);
}
template <atomic_op Op, class T>
ORIEL_WIDE_VECTORS errc plain_run_wide(void* target, const void* origin, void* result,
                                       std::size_t n, stripes*, std::uint64_t) noexcept {
  return plain_body<Op, T>(target, origin, result, n);
}

template <atomic_op Op, class T>
void plain_blocks(std::byte* target, std::ptrdiff_t target_stride, const std::byte* origin,
                  std::ptrdiff_t origin_stride, std::size_t elements, std::size_t blocks) noexcept {
  if constexpr (Op == atomic_op::no_op) return;
  const auto over = [&](std::size_t n, std::size_t pieces) {
    for (std::size_t b = 0; b < blocks; ++b) {
      for (std::size_t p = 0; p < pieces; ++p)
        plain_update<Op, T>(target + p * n * sizeof(T), origin + p * n * sizeof(T), n);
      target += target_stride;
      origin += origin_stride;
    }
  };
  // Numbers that the compiler knows leave no loop over single elements.
  constexpr std::size_t piece = 4;
  if (elements == 1)
    over(1, 1);
  else if (elements % piece == 0)
    over(piece, elements / piece);
  else
    over(elements, 1);
}

}  // namespace oriel::atomics

#undef ORIEL_WIDE_VECTORS
