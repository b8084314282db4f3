// The bodies of the accumulate kernels, as templates; each kernels_<group>.cpp instantiates those
// of its element types. Contract: atomics/kernels.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "atomics/kernel_groups.hpp"
#include "atomics/kernels.hpp"
#include "atomics/plain_loops.hpp"
#include "atomics/wide_word.hpp"
#include "oriel/detail/cpu_atomic.hpp"

namespace oriel::atomics {

template <atomic_op Op, class T>
T operand_at(const std::byte* origin, std::size_t i) noexcept {
  if constexpr (Op == atomic_op::no_op)
    return T{};
  else
    return load_at<T>(origin, i);
}

// Elements that are only moved need not go one by one: words of 8 bytes are atomic for each of
// them. Words are written last to first and read first to last, so a reader that finds the first
// word of a run new finds the rest new. MPI promises that of single elements only, but programs
// publish small structures as runs of MPI_BYTE (linked lists do), on MPIs that lock the whole
// operation.
template <atomic_op Op, class T>
inline constexpr bool moves_in_words = sizeof(T) < 8 && !std::is_same_v<T, bool> &&
                                       (Op == atomic_op::replace || Op == atomic_op::no_op);

// Bytes of a run of elements before its first aligned word.
inline std::size_t before_words(const std::byte* run, std::size_t bytes) noexcept {
  return std::min(bytes, -reinterpret_cast<std::uintptr_t>(run) % sizeof(std::uint64_t));
}

template <class T>
void replace_backwards(std::byte* target, const std::byte* origin, std::size_t from,
                       std::size_t to) noexcept {
  for (std::size_t at = to; at != from; at -= sizeof(T))
    detail::cpu_op<atomic_op::replace>(reinterpret_cast<T*>(target + at - sizeof(T)),
                                       load_at<T>(origin + at - sizeof(T), 0));
}
template <class T>
void replace_in_words(std::byte* target, const std::byte* origin, std::size_t bytes) noexcept {
  const std::size_t head = before_words(target, bytes);
  const std::size_t tail = head + (bytes - head) / sizeof(std::uint64_t) * sizeof(std::uint64_t);
  replace_backwards<T>(target, origin, tail, bytes);
  replace_backwards<std::uint64_t>(target, origin, head, tail);
  replace_backwards<T>(target, origin, 0, head);
}

template <class T>
void read_forwards(std::byte* target, std::byte* result, std::size_t from,
                   std::size_t to) noexcept {
  for (std::size_t at = from; at != to; at += sizeof(T))
    store_at<T>(result + at, 0,
                detail::cpu_fetch_op<atomic_op::no_op>(reinterpret_cast<T*>(target + at), T{}));
}
template <class T>
void read_in_words(std::byte* target, std::byte* result, std::size_t bytes) noexcept {
  const std::size_t head = before_words(target, bytes);
  const std::size_t tail = head + (bytes - head) / sizeof(std::uint64_t) * sizeof(std::uint64_t);
  read_forwards<T>(target, result, 0, head);
  read_forwards<std::uint64_t>(target, result, head, tail);
  read_forwards<T>(target, result, tail, bytes);
}

template <atomic_op Op, class T>
void narrow_run(std::byte* target, const std::byte* origin, std::byte* result,
                std::size_t n) noexcept {
  if constexpr (moves_in_words<Op, T> && Op == atomic_op::replace)
    if (result == nullptr) return replace_in_words<T>(target, origin, n * sizeof(T));
  if constexpr (moves_in_words<Op, T> && Op == atomic_op::no_op)
    if (result != nullptr) return read_in_words<T>(target, result, n * sizeof(T));
  auto* const elements = reinterpret_cast<T*>(target);
  if (result == nullptr) {
    for (std::size_t i = 0; i < n; ++i)
      detail::cpu_op<Op>(elements + i, operand_at<Op, T>(origin, i));
  } else {
    for (std::size_t i = 0; i < n; ++i)
      store_at<T>(result, i, detail::cpu_fetch_op<Op>(elements + i, operand_at<Op, T>(origin, i)));
  }
}

#if ORIEL_WIDE_SWAP
// Padding travels with the value: long double has 6 bytes of it, which a swap compares like the
// rest, so the loop works on the bytes that it read and never on a copy of the value.
template <atomic_op Op, class T>
void wide_run(std::byte* target, const std::byte* origin, std::byte* result,
              std::size_t n) noexcept {
  if (Op == atomic_op::no_op && result == nullptr) return;
  for (std::size_t i = 0; i < n; ++i) {
    std::byte* const element = target + i * sizeof(T);
    wide_word before = load_wide(element);
    if constexpr (Op != atomic_op::no_op) {  // a read writes nothing: the memory may allow no more
      const T operand = load_at<T>(origin, i);
      for (;;) {
        T value;
        std::memcpy(static_cast<void*>(&value), &before, sizeof value);
        value = detail::combine<Op>(value, operand);
        wide_word after = before;
        std::memcpy(&after, static_cast<const void*>(&value), sizeof value);
        const wide_word seen = swap_wide(element, before, after);
        if (seen == before) break;
        before = seen;
      }
    }
    if (result != nullptr) std::memcpy(result + i * sizeof(T), &before, sizeof(T));
  }
}
#endif

// Requires: locks.
template <atomic_op Op, class T>
errc locked_run(std::byte* target, const std::byte* origin, std::byte* result, std::size_t n,
                stripes& locks, std::uint64_t key) noexcept {
  return locks.each(key, sizeof(T), n, [=](std::size_t i) {
    const T before = load_at<T>(target, i);
    if constexpr (Op != atomic_op::no_op)
      store_at<T>(target, i, detail::combine<Op>(before, load_at<T>(origin, i)));
    if (result != nullptr) store_at<T>(result, i, before);
  });
}

// Mappings begin at page boundaries, so an element has the same alignment in every process.
inline bool aligned_to(std::size_t bytes, const void* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % bytes == 0;
}

template <atomic_op Op, class T>
errc atomic_run(void* target, const void* origin, void* result, std::size_t n, stripes* locks,
                std::uint64_t key) noexcept {
  auto* const t = static_cast<std::byte*>(target);
  const auto* const o = static_cast<const std::byte*>(origin);
  auto* const r = static_cast<std::byte*>(result);
  if constexpr (detail::cpu_atomic_fits<T>) {
    if (aligned_to(sizeof(T), target)) [[likely]] {
      narrow_run<Op, T>(t, o, r, n);
      return errc::success;
    }
  } else if constexpr (sizeof(T) == wide_bytes && has_wide_swap) {
    if (aligned_to(sizeof(T), target) && wide_is_atomic()) [[likely]] {
      wide_run<Op, T>(t, o, r, n);
      return errc::success;
    }
  }
  if (locks == nullptr) return errc::type;
  return locked_run<Op, T>(t, o, r, n, *locks, key);
}

template <atomic_op Op, class T>
void scattered_run(std::byte* const* targets, const std::byte* operands, std::size_t stride,
                   std::byte* results, std::size_t n) noexcept {
  for (std::size_t j = 0; j < n; ++j) {
    T* const element = reinterpret_cast<T*>(targets[j]);
    const T operand = operand_at<Op, T>(operands + (Op == atomic_op::no_op ? 0 : j * stride), 0);
    if (results == nullptr)
      detail::cpu_op<Op>(element, operand);
    else
      store_at<T>(results, j, detail::cpu_fetch_op<Op>(element, operand));
  }
}

enum class loop : std::uint8_t { atomic, plain, plain_wide };

template <class T, atomic_op Op>
constexpr accumulate_fn kernel_of(loop which) noexcept {
  if constexpr (!defined(Op, primitive_of<T>()))
    return nullptr;
  else
    return which == loop::atomic  ? &atomic_run<Op, T>
           : which == loop::plain ? &plain_run<Op, T>
                                  : &plain_run_wide<Op, T>;
}
template <class T, atomic_op Op>
constexpr blocks_fn blocks_of() noexcept {
  if constexpr (!defined(Op, primitive_of<T>()))
    return nullptr;
  else
    return &plain_blocks<Op, T>;
}

template <class T, atomic_op Op>
constexpr scattered_fn scattered_of() noexcept {
  if constexpr (!defined(Op, primitive_of<T>()) || !detail::cpu_atomic_inline<T>)
    return nullptr;
  else
    return &scattered_run<Op, T>;
}

// All of one element type, by operation.
template <class T>
constexpr type_kernels loops_of_type() noexcept {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return type_kernels{{kernel_of<T, all_atomic_ops[I]>(loop::atomic)...},
                        {kernel_of<T, all_atomic_ops[I]>(loop::plain)...},
                        {kernel_of<T, all_atomic_ops[I]>(loop::plain_wide)...},
                        {blocks_of<T, all_atomic_ops[I]>()...},
                        {scattered_of<T, all_atomic_ops[I]>()...}};
  }
  (std::make_index_sequence<atomic_op_count>{});
}
template <class T>
inline constexpr type_kernels loops = loops_of_type<T>();

// Those of whichever of `Ts` is `p`.
template <class... Ts>
const type_kernels* pick(primitive p) noexcept {
  const type_kernels* found = nullptr;
  static_cast<void>(((primitive_of<Ts>() == p && (found = &loops<Ts>, true)) || ...));
  return found;
}

}  // namespace oriel::atomics
