// Atomic operations: the common case, on memory that is mapped here, and all others. Elements are
// naturally aligned, of 4 or 8 bytes.
#pragma once

#include <cstddef>

#include "oriel/atomic_op.hpp"
#include "oriel/detail/cpu_atomic.hpp"
#include "shmem/api.hpp"
#include "shmem/context.hpp"
#include "shmem/transfers.hpp"

namespace oriel::shmem {

// What is not mapped here, and what is wrong. On elements of `bytes` bytes, as bits. Of
// fetch_update_far and compare_swap_far, `before` may be read at `when`; the operands of all may be
// changed on return.
void update_far(shmem_ctx_t, atomic_op, void* dest, const void* value, std::size_t bytes,
                int pe) noexcept;
void fetch_update_far(shmem_ctx_t, atomic_op, void* before, const void* dest, const void* value,
                      std::size_t bytes, int pe, completion when) noexcept;
void compare_swap_far(shmem_ctx_t, void* before, void* dest, const void* cond, const void* value,
                      std::size_t bytes, int pe, completion when) noexcept;

template <atomic_op Op, class T>
void update(shmem_ctx_t ctx, T* dest, T value, int pe) noexcept {
  if (char* const there = reach(ctx, dest, sizeof(T), pe)) [[likely]]
    return detail::cpu_op<Op>(reinterpret_cast<T*>(there), value);
  update_far(ctx, Op, dest, &value, sizeof(T), pe);
}

template <atomic_op Op, class T>
void fetch_update_into(shmem_ctx_t ctx, T* before, const T* dest, T value, int pe,
                       completion when) noexcept {
  if (char* const there = reach(ctx, dest, sizeof(T), pe)) [[likely]] {
    *before = detail::cpu_fetch_op<Op>(reinterpret_cast<T*>(there), value);
    return;
  }
  fetch_update_far(ctx, Op, before, dest, &value, sizeof(T), pe, when);
}
template <atomic_op Op, class T>
T fetch_update(shmem_ctx_t ctx, const T* dest, T value, int pe) noexcept {
  T before;
  fetch_update_into<Op>(ctx, &before, dest, value, pe, completion::on_return);
  return before;
}
template <atomic_op Op, class T>
void fetch_update_nbi(shmem_ctx_t ctx, T* before, const T* dest, T value, int pe) noexcept {
  fetch_update_into<Op>(ctx, before, dest, value, pe, completion::by_quiet);
}

template <class T>
void compare_swap_into(shmem_ctx_t ctx, T* before, T* dest, T cond, T value, int pe,
                       completion when) noexcept {
  if (char* const there = reach(ctx, dest, sizeof(T), pe)) [[likely]] {
    *before = detail::cpu_compare_swap(reinterpret_cast<T*>(there), cond, value);
    return;
  }
  compare_swap_far(ctx, before, dest, &cond, &value, sizeof(T), pe, when);
}
template <class T>
T compare_swap(shmem_ctx_t ctx, T* dest, T cond, T value, int pe) noexcept {
  T before;
  compare_swap_into(ctx, &before, dest, cond, value, pe, completion::on_return);
  return before;
}

}  // namespace oriel::shmem
