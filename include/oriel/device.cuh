// window_view<T>: one-sided operations from inside kernels. A view is made by the host from a
// window, passed to kernels by value, and may be used until the window is freed.
//
//   __global__ void halo(oriel::window_view<float> field, const float* row, std::size_t n) {
//     const oriel::rank next{(field.rank().value + 1) % field.ranks()};
//     field.put_notify(oriel::scope::block{}, next, oriel::disp{0}, row, n, /*counter=*/0);
//     field.wait_notify(oriel::scope::block{}, 0, 1);
//   }
//
// For CUDA and HIP (after hip/hip_runtime.h), without relocatable device code. Host compilers
// compile it too, with scopes of one thread.
//
// Scopes. One thread performs an operation, or all threads of a warp or block perform it once: they
// call it together with equal arguments. A call without a scope is one thread's. The threads share
// the copying, which is fastest where both sides have the same address modulo 16 bytes. Blocking
// operations of a warp or block synchronize its threads before and after.
//
// Routes. Memory that the device reaches (`direct`) is loaded, stored and updated by the kernel.
// Operations on other ranks, and notifications, are requests to an agent of the host
// (detail/kernel_ring.hpp).
// Requires, for them: sources and results of more than 64 bytes lie in memory that the host's
// copies reach, as global memory does and a kernel's shared and local variables do not.
//
// Complete at. *Source reusable* and *result usable*: on return; of put_nbi and get_nbi, after
// quiet. *Complete at the target*: after quiet; operations with a result on return; put_notify when
// its count is seen there.
// Order. Operations of one scope on one target are ordered only by a fence between them; atomics on
// one element are ordered among themselves. Loads and stores of `local` and `direct` memory take
// part in that order.
//
// Returns. The window latches the first failure of a request, which quiet, waits and failure
// return. Results of failed requests are T{}. When the host closes the window, waits return its
// failure, or peer_failed.
//
// Requires: ranks, elements and counters that the window has, which nothing verifies; elements at
// multiples of alignof(T). Atomics: T of 1, 2, 4 or 8 bytes, at multiples of its size; see
// detail/device_atomic.cuh.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "oriel/detail/device_atomic.cuh"
#include "oriel/detail/device_operations.cuh"
#include "oriel/detail/device_scope.cuh"
#include "oriel/detail/device_view.hpp"
#include "oriel/errc.hpp"
#include "oriel/rank.hpp"
#include "oriel/scope.hpp"

namespace oriel {

// How wait_until compares its element.
using detail::device::comparison;

template <class T>
class window_view {
  static_assert(std::is_trivially_copyable_v<T>, "a window's base type is moved as bytes");
  // What travels by value fits in one request.
  static constexpr bool small = sizeof(T) <= detail::kernel_inline_bytes;
  // Whether C++ aligns T for the device's word instructions.
  static constexpr bool whole = detail::device::fits<T> && alignof(T) == sizeof(T);

 public:
  using value_type = T;

  // Requires: the view's window has the base type T.
  ORIEL_DEVICE explicit window_view(const detail::device_view& view) noexcept : view_(view) {}

  // --- Who and where ----------------------------------------------------------------------------
  [[nodiscard]] ORIEL_DEVICE oriel::rank rank() const noexcept { return oriel::rank{view_.rank}; }
  [[nodiscard]] ORIEL_DEVICE std::int32_t ranks() const noexcept { return view_.ranks; }
  // Returns how many elements rank `r` exposes.
  [[nodiscard]] ORIEL_DEVICE std::uint64_t count(oriel::rank r) const noexcept {
    return peer(r).count;
  }
  // Returns this rank's memory.
  [[nodiscard]] ORIEL_DEVICE T* local() const noexcept { return direct(rank()); }
  // Returns the memory of rank `r`, for loads and stores; null where the device does not reach it.
  [[nodiscard]] ORIEL_DEVICE T* direct(oriel::rank r) const noexcept {
    return reinterpret_cast<T*>(detail::device::load_constant(&peer(r).memory));
  }

  // --- put and get ------------------------------------------------------------------------------
  // Elements of 1, 2, 4 and 8 bytes, aligned to their size, never tear. Requires: no other
  // operation writes the elements until the two are ordered.
  ORIEL_DEVICE void put(oriel::rank r, disp i, const T& value) const noexcept requires(small) {
    if constexpr (whole) {
      if (T* const there = direct(r))
        detail::device::store(there + i.value, value);
      else
        detail::device::request_put_one<T>(view_, r, i, value);
    } else {
      put(scope::thread{}, r, i, &value, 1);
    }
  }
  [[nodiscard]] ORIEL_DEVICE T get(oriel::rank r, disp i) const noexcept requires(small) {
    if constexpr (whole) {
      if (const T* const there = direct(r)) return detail::device::load(there + i.value);
      return detail::device::request_get_one<T>(view_, r, i);
    } else {
      T value{};
      get(scope::thread{}, r, i, &value, 1);
      return value;
    }
  }
  // `n` elements. Requires: `from` and `to` do not overlap the target.
  template <detail::device::some_scope S>
  ORIEL_DEVICE void put(S s, oriel::rank r, disp i, const T* from, std::size_t n) const noexcept {
    detail::device::put(s, view_, r, i, from, n, detail::device::blocking::yes);
  }
  template <detail::device::some_scope S>
  ORIEL_DEVICE void get(S s, oriel::rank r, disp i, T* to, std::size_t n) const noexcept {
    detail::device::get(s, view_, r, i, to, n, detail::device::blocking::yes);
  }
  // Source reusable, result usable: after quiet. Synchronize the scope's threads before only.
  template <detail::device::some_scope S>
  ORIEL_DEVICE void put_nbi(S s, oriel::rank r, disp i, const T* from,
                            std::size_t n) const noexcept {
    detail::device::put(s, view_, r, i, from, n, detail::device::blocking::no);
  }
  // Requires: a result from a rank that is not direct lies in memory that the host's copies reach.
  template <detail::device::some_scope S>
  ORIEL_DEVICE void get_nbi(S s, oriel::rank r, disp i, T* to, std::size_t n) const noexcept {
    detail::device::get(s, view_, r, i, to, n, detail::device::blocking::no);
  }

  // --- Atomics: with those of every device and process that uses the window's --------------------
  template <atomic_op Op, detail::device::some_scope S>
  ORIEL_DEVICE void accumulate(S s, oriel::rank r, disp i, const T& operand) const noexcept {
    detail::device::accumulate_one<Op>(s, view_, r, i, operand);
  }
  template <atomic_op Op>
  ORIEL_DEVICE void accumulate(oriel::rank r, disp i, const T& operand) const noexcept {
    accumulate<Op>(scope::thread{}, r, i, operand);
  }
  // `n` elements, each atomically; the threads of the scope share them.
  template <atomic_op Op, detail::device::some_scope S>
  ORIEL_DEVICE void accumulate(S s, oriel::rank r, disp i, const T* operands,
                               std::size_t n) const noexcept {
    detail::device::accumulate<Op>(s, view_, r, i, operands, n);
  }
  // Returns the value before, to every thread of the scope; T{} after a failure. Performed once.
  template <atomic_op Op, detail::device::some_scope S>
  ORIEL_DEVICE T fetch_op(S s, oriel::rank r, disp i, const T& operand) const noexcept {
    return detail::device::fetch_op<Op>(s, view_, r, i, operand);
  }
  template <atomic_op Op>
  ORIEL_DEVICE T fetch_op(oriel::rank r, disp i, const T& operand) const noexcept {
    return fetch_op<Op>(scope::thread{}, r, i, operand);
  }
  template <detail::device::some_scope S>
  ORIEL_DEVICE T fetch_add(S s, oriel::rank r, disp i, const T& operand) const noexcept {
    return fetch_op<atomic_op::sum>(s, r, i, operand);
  }
  ORIEL_DEVICE T fetch_add(oriel::rank r, disp i, const T& operand) const noexcept {
    return fetch_op<atomic_op::sum>(r, i, operand);
  }
  template <detail::device::some_scope S>
  ORIEL_DEVICE T exchange(S s, oriel::rank r, disp i, const T& value) const noexcept {
    return fetch_op<atomic_op::replace>(s, r, i, value);
  }
  ORIEL_DEVICE T exchange(oriel::rank r, disp i, const T& value) const noexcept {
    return fetch_op<atomic_op::replace>(r, i, value);
  }
  // Stores `desired` if the element's bytes equal those of `expected`. Returns the value before.
  template <detail::device::some_scope S>
  ORIEL_DEVICE T compare_swap(S s, oriel::rank r, disp i, const T& expected,
                              const T& desired) const noexcept {
    return detail::device::compare_swap(s, view_, r, i, expected, desired);
  }
  ORIEL_DEVICE T compare_swap(oriel::rank r, disp i, const T& expected,
                              const T& desired) const noexcept {
    return compare_swap(scope::thread{}, r, i, expected, desired);
  }

  // --- Notification: windows that assert `notify` ------------------------------------------------
  // Puts `n` elements, which may be 0, and then adds 1 to counter `counter` of rank `r`. A reader
  // of the count sees the elements, what the scope's threads have put or accumulated there before
  // by other calls than put_notify, and all operations that a fence has ordered before the call.
  template <detail::device::some_scope S>
  ORIEL_DEVICE void put_notify(S s, oriel::rank r, disp i, const T* from, std::size_t n,
                               std::size_t counter) const noexcept {
    detail::device::put_notify(s, view_, r, i, from, n, counter);
  }
  ORIEL_DEVICE void put_notify(oriel::rank r, disp i, const T& value,
                               std::size_t counter) const noexcept requires(small) {
    put_notify(scope::thread{}, r, i, &value, 1, counter);
  }
  // Returns the value of this rank's counter; what was notified is visible to the thread.
  [[nodiscard]] ORIEL_DEVICE std::uint64_t notified(std::size_t counter) const noexcept {
    return detail::device::load_acquire(detail::device::counter_word(view_, counter));
  }
  // Blocks until this rank's counter has reached `at_least`; what was notified is visible to the
  // scope. Where it would have, had no notification been refused, returns why one was. Requires:
  // the notifier runs at the same time; on a device that cannot run both, this never returns.
  template <detail::device::some_scope S>
  ORIEL_DEVICE errc wait_notify(S s, std::size_t counter, std::uint64_t at_least) const noexcept {
    return detail::device::wait_notify(s, view_, counter, at_least);
  }
  // Blocks until this rank's element `i`, which others put or update, compares so with `value`.
  // What its writer has ordered before it by a fence is visible to the scope. Integers and reals of
  // 4 and 8 bytes.
  template <detail::device::some_scope S>
  ORIEL_DEVICE errc wait_until(S s, disp i, comparison how, const T& value) const noexcept
      requires(std::is_arithmetic_v<T>&& whole && sizeof(T) >= 4) {
    using word = detail::device::word_t<sizeof(T)>;
    const auto* const at = reinterpret_cast<const word*>(local() + i.value);
    return detail::device::wait_until(s, view_, at, how, value);
  }

  // --- Order and completion ---------------------------------------------------------------------
  // Orders, at each target, what the scope's threads did before it before what they do after it.
  template <detail::device::some_scope S>
  ORIEL_DEVICE void fence(S s) const noexcept {
    detail::device::order(s, view_);
  }
  // Complete at the targets: all that the scope's threads did through this view; their nbi results
  // are usable. Blocks until then, and until requests of other threads are complete too.
  template <detail::device::some_scope S>
  ORIEL_DEVICE errc quiet(S s) const noexcept {
    return detail::device::quiet(s, view_);
  }
  // Orders the thread's own accesses to memory that it reaches, and what it has seen of others',
  // for all observers, as MPI_Win_sync does.
  ORIEL_DEVICE void sync() const noexcept { detail::device::fence(); }
  // Returns the first failure of a request of any view of this window on this rank.
  [[nodiscard]] ORIEL_DEVICE errc failure() const noexcept {
    return detail::device::first_failure(view_.state);
  }

 private:
  [[nodiscard]] ORIEL_DEVICE const detail::device_peer& peer(oriel::rank r) const noexcept {
    return view_.peers[r.value];
  }

  detail::device_view view_;
};

}  // namespace oriel
