// Atomic operations on elements wherever they are: what can be refused here is, the rest is their
// route's.
#pragma once

#include <cstddef>

#include "win/serve/mapped_atomics.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/count.hpp"

namespace oriel::win {

// What an accumulate is counted as.
constexpr operation_kind kind_of(const void* results) noexcept {
  return results == nullptr ? operation_kind::accumulate : operation_kind::fetch_op;
}

// Fills the loops of `operations`.
void choose_kernels(detail::window_core&) noexcept;

// The loop for elements in mapped memory; null where `op` is not in the window's op set or not
// defined on `type`: what refuse_op says.
inline atomics::accumulate_fn kernel_for(const detail::window_core& core, atomic_op op,
                                         primitive type) noexcept {
  if (!core.agreed.ops.has(op)) return nullptr;
  return (*core.operations.rows[static_cast<std::size_t>(type)])[static_cast<std::size_t>(op)];
}
// The same for `bytes` bytes of rank `r`: plain loops, which the processor does several elements
// at a time, while this process, of which no two threads are in oriel at once, holds the target's
// exclusive lock. A 256 x 256 tile of doubles then takes 16 us instead of 169.
inline atomics::accumulate_fn kernel_for(const detail::window_core& core, atomic_op op,
                                         primitive type, rank r, std::size_t bytes) noexcept {
  const bool alone = bytes >= 128 && core.epochs.passive.exclusive(r);
  const atomics::accumulate_fn careful = kernel_for(core, op, type);
  return !alone || careful == nullptr
             ? careful
             : atomics::accumulate_kernel(op, type, atomics::kernel_mode::plain);
}
errc refuse_op(detail::window_core&, atomic_op, primitive) noexcept;

// `n` elements of `type` at `at` + `offset`. `results` may be null. Complete on return within the
// node; to another node it is begun, operands are reusable, and `also` counts it too.
errc accumulate_at(detail::window_core&, const target& at, std::ptrdiff_t offset, atomic_op,
                   primitive type, const void* operands, void* results, std::size_t n,
                   tracker* also) noexcept;
// One element, by its bytes: 1 to 16 of them, 8 at most in device memory. The result is usable on
// return.
errc compare_swap_at(detail::window_core&, const target& at, std::size_t bytes,
                     const void* expected, const void* desired, void* result) noexcept;
// What shapes lay out; elements of several primitives go by each one's own.
errc accumulate_layout(detail::window_core&, atomic_op, rank, disp, const detail::typed_operands&,
                       tracker* also) noexcept;

}  // namespace oriel::win
