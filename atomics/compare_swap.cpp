// Compare-and-swap kernels by element size. Contract: atomics/kernels.hpp.
#include <array>
#include <cstring>
#include <utility>

#include "atomics/kernels.hpp"
#include "atomics/wide_word.hpp"
#include "oriel/detail/cpu_atomic.hpp"

namespace oriel::atomics {
namespace {

template <std::size_t Bytes>
constexpr bool one_instruction = Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8;

// Requires: the target lies aligned to Bytes.
template <std::size_t Bytes>
void swap_natively(void* target, const void* expected, const void* desired, void* result) noexcept {
  if constexpr (one_instruction<Bytes>) {
    using word = typename detail::atomic_word<Bytes>::type;
    word want, put;
    std::memcpy(&want, expected, Bytes);
    std::memcpy(&put, desired, Bytes);
    const word before = detail::cpu_compare_swap(static_cast<word*>(target), want, put);
    std::memcpy(result, &before, Bytes);
  } else {
#if ORIEL_WIDE_SWAP
    wide_word want, put;
    std::memcpy(&want, expected, Bytes);
    std::memcpy(&put, desired, Bytes);
    const wide_word before = swap_wide(target, want, put);
    std::memcpy(result, &before, Bytes);
#endif
  }
}

template <std::size_t Bytes>
errc swap(void* target, const void* expected, const void* desired, void* result, stripes* locks,
          std::uint64_t key) noexcept {
  if constexpr (one_instruction<Bytes> || (Bytes == wide_bytes && has_wide_swap)) {
    if (reinterpret_cast<std::uintptr_t>(target) % Bytes == 0 &&
        (one_instruction<Bytes> || wide_is_atomic())) [[likely]] {
      swap_natively<Bytes>(target, expected, desired, result);
      return errc::success;
    }
  }
  if (locks == nullptr) return errc::type;
  return locks->each(key, Bytes, 1, [=](std::size_t) {
    std::array<std::byte, Bytes> before;
    std::memcpy(before.data(), target, Bytes);
    if (std::memcmp(before.data(), expected, Bytes) == 0) std::memcpy(target, desired, Bytes);
    std::memcpy(result, before.data(), Bytes);
  });
}

}  // namespace

compare_swap_fn compare_swap_kernel(std::size_t bytes) noexcept {
  static constexpr auto table = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<compare_swap_fn, sizeof...(I)>{&swap<I + 1>...};
  }
  (std::make_index_sequence<wide_bytes>{});
  return bytes == 0 || bytes > table.size() ? nullptr : table[bytes - 1];
}

compare_swap_fn compare_swap_kernel(primitive p) noexcept {
  return p == primitive::opaque ? nullptr : compare_swap_kernel(size_of(p));
}

}  // namespace oriel::atomics
