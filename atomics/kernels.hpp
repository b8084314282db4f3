// The loops that perform atomic operations on runs of elements, one function for each operation,
// element type and mode. A window picks its functions when it is built.
//
// target, origin, result: contiguous elements at any alignment; they do not overlap each other.
// `origin` may be null for no_op, `result` where no values before are needed. An element's value
// before is written to `result` only when the element was updated.
//
// locks: where elements lie misaligned or are wider than an instruction; `key` is the first target
// element's (see atomics/stripes.hpp). Null is right where neither can happen; errc::type comes
// back if it does.
//
// Ordering (MPI-4.1 §12.7.2): elements are updated one after the other, each update seq_cst and
// complete on return, so every ordering that a window may promise (rar, raw, war, waw) holds with
// nothing added. `plain` has no atomicity: for targets that no other thread accesses meanwhile.
//
// Any thread. noexcept; peer_failed when a lock's owner died.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "atomics/stripes.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"

namespace oriel::atomics {

enum class kernel_mode : std::uint8_t { atomic, plain };

using accumulate_fn = errc (*)(void* target, const void* origin, void* result, std::size_t n,
                               stripes* locks, std::uint64_t key) noexcept;
// The loops of one element type, by operation; null where !defined(op, p).
using kernel_row = std::array<accumulate_fn, atomic_op_count>;
const kernel_row& kernels_of(primitive p, kernel_mode mode) noexcept;
// nullptr when !defined(op, p).
accumulate_fn accumulate_kernel(atomic_op op, primitive p, kernel_mode mode) noexcept;

// `blocks` blocks of `elements` each, strides in bytes, by plain loops, without results: for blocks
// too short to be worth a call each. no_op touches nothing.
using blocks_fn = void (*)(std::byte* target, std::ptrdiff_t target_stride, const std::byte* origin,
                           std::ptrdiff_t origin_stride, std::size_t elements,
                           std::size_t blocks) noexcept;
using blocks_row = std::array<blocks_fn, atomic_op_count>;
// nullptr when !defined(op, p).
blocks_fn blocks_kernel(atomic_op op, primitive p) noexcept;

// `n` single elements, element j at targets[j], by atomic instructions, for types of which each
// element lies where one instruction serves (detail::cpu_atomic_inline). Operand j lies at
// operands + j * stride; results are dense, null where none are needed.
using scattered_fn = void (*)(std::byte* const* targets, const std::byte* operands,
                              std::size_t stride, std::byte* results, std::size_t n) noexcept;
using scattered_row = std::array<scattered_fn, atomic_op_count>;
// nullptr when !defined(op, p), and for other types.
scattered_fn scattered_kernel(atomic_op op, primitive p) noexcept;

// One element: stores `desired` if the target's bytes equal those of `expected`; `result` receives
// the bytes that were there.
using compare_swap_fn = errc (*)(void* target, const void* expected, const void* desired,
                                 void* result, stripes* locks, std::uint64_t key) noexcept;
// MPI allows integers, bool and byte (MPI-4.1 §12.3.4); here also every other type of at most 16
// bytes, by its bytes. nullptr for wider ones, and for opaque, whose size only the caller has:
compare_swap_fn compare_swap_kernel(primitive p) noexcept;
// of elements of 1 to 16 bytes; nullptr for other sizes.
compare_swap_fn compare_swap_kernel(std::size_t bytes) noexcept;

}  // namespace oriel::atomics
