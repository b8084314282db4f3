// window<T, A>: memory of every rank of a team, typed by T, used as the assertions A promise.
//
//   constexpr auto promise = assertion::shared_lock | assertion::local_load_store;
//   auto hits = window<std::uint64_t, promise>::allocate(world, 1024);
//   auto epoch = hits.lock_all();
//   hits.put(next, disp{16}, 42);
//
// With A fixed, using what was not promised does not compile. `window<T>` takes the assertions at
// construction and refuses with errc::not_asserted instead.
//
// Completion, in this header's words. *Source reusable*: the origin buffer may be changed. *Result
// usable*: the result buffer may be read. *Complete at target*: every rank that synchronizes with
// this one sees the effect. A call that takes its value by value or returns one has its source
// reusable and its result usable on return; all others have so after flush_local or request::wait.
// Everything is complete at the target after flush, and after the end of the epoch.
//
// Errors: construction throws `error`, the same on every rank. Operations are noexcept and return a
// status; the first failure is kept, and reported by flush and the ends of epochs. `failure()`
// explains the last of the calling thread, `first_failure()` the first. Ranks and displacements are
// not checked unless ORIEL_CHECK=1 (docs/CHECKING.md).
//
// A window that has been freed or moved from says so (errc::win); spans from local(), remote() and
// shared_query(), kernels' views and the addresses of segments are those of memory that is gone.
//
// Threads: any thread may operate on any window at thread_level::multiple, in epochs that any
// thread of the process has opened, and accumulates are atomic among them too; construction, fence,
// post/start/complete/wait and free are for one thread at a time per window.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "oriel/any_window.hpp"
#include "oriel/detail/cpu_atomic.hpp"
#include "oriel/synchronization.hpp"

namespace oriel {

template <class T, assertion_set A = at_run_time>
class window : public synchronization<A> {
  using synchronization<A>::any_;
  using synchronization<A>::view;
  static_assert(std::is_trivially_copyable_v<T>, "a window's base type is moved as bytes");
  static constexpr bool fixed = A != at_run_time;
  static constexpr bool bare = detail::always_mapped(A);

 public:
  using value_type = T;

  // --- Construction: collective over `t`; all ranks give the same assertions and options
  // `count` elements of zeroed memory on this rank, reserved now; 0 is allowed, counts may differ.
  static window allocate(const team& t, std::size_t count,
                         const window_options& options = {}) requires fixed {
    return window(any_window::allocate(t, count, datatype::of<T>(), A, options, bare));
  }
  static window allocate(const team& t, std::size_t count, assertion_set assertions,
                         const window_options& options = {}) requires(!fixed) {
    return window(any_window::allocate(t, count, datatype::of<T>(), assertions, options));
  }
  // The caller's memory, which must outlive the window. Memory of session::alloc_mem is mapped by
  // the ranks on the node; other memory is read and written through the kernel.
  static window create(const team& t, std::span<T> memory,
                       const window_options& options = {}) requires fixed {
    return window(
        any_window::create(t, memory.data(), memory.size(), datatype::of<T>(), A, options, bare));
  }
  static window create(const team& t, std::span<T> memory, assertion_set assertions,
                       const window_options& options = {}) requires(!fixed) {
    return window(any_window::create(t, memory.data(), memory.size(), datatype::of<T>(), assertions,
                                     options));
  }
  // No memory yet: `attach` adds it.
  static window create(const team& t, const window_options& options = {}) requires(
      fixed&& promises<A, assertion::attach>) {
    return window(any_window::create(t, datatype::of<T>(), A, options));
  }
  static window create(const team& t, assertion_set assertions,
                       const window_options& options = {}) requires(!fixed) {
    return window(any_window::create(t, datatype::of<T>(), assertions, options));
  }

  window() noexcept = default;

  // --- Memory
  // This rank's first segment. With assertions given at run time, throws not_asserted without
  // local_load_store.
  [[nodiscard]] std::span<T> local() const
      noexcept(fixed) requires promises<A, assertion::local_load_store> {
    return {reinterpret_cast<T*>(any_.local()), any_.local_count()};
  }
  // The memory of rank `r`, mapped here. Loads and stores are ordered with other ranks' by sync()
  // and the epochs. Empty where `r` cannot be mapped, which remote_load_store rules out. Throws
  // likewise.
  [[nodiscard]] std::span<T> remote(rank r) const noexcept(fixed) requires
      promises_any<A, assertion::remote_load_store, assertion::node_load_store> {
    const auto s = any_.remote(r);
    return shared_segment<T>{s.of, reinterpret_cast<T*>(s.base), s.count}.span();
  }
  // Works on every window. A rank whose memory cannot be reached gives a null base and count 0; a
  // reachable rank without memory gives a base that is not null and count 0; `any_rank` means
  // the lowest rank of this node's domain that has memory.
  [[nodiscard]] shared_segment<T> shared_query(rank r) const noexcept {
    const auto s = any_.shared_query(r);
    return {s.of, reinterpret_cast<T*>(s.base), s.count};
  }
  // Every buffer that rank `r` exposes, by displacement.
  [[nodiscard]] std::vector<segment<T>> segments(rank r) const {
    std::vector<segment<T>> typed;
    for (const auto& s : any_.segments(r))
      typed.push_back({s.handle, s.first, s.count, reinterpret_cast<T*>(s.base)});
    return typed;
  }
  // What a kernel's window_view<T> is made of (oriel/device.cuh): valid until the window is freed,
  // after the last kernel that uses it. Local; the first call makes what kernels need, and starts a
  // thread that serves them. For windows whose memory, here or on a rank of this node, is a
  // device's, managed or pinned; else throws unsupported_kind. Throws info when the kinds asserted
  // leave device memory out, no_mem.
  [[nodiscard]] detail::device_view kernel_view() { return any_.kernel_view(); }
  // Local: exposes `memory`, reached by others at [first, first + count). Throws rma_attach when it
  // is empty or overlaps memory attached already, no_mem when the table cannot grow.
  segment<T> attach(std::span<T> memory,
                    call_site at = call_site::here()) requires promises<A, assertion::attach> {
    const auto s = any_.attach(memory.data(), memory.size(), at);
    return {s.handle, s.first, s.count, reinterpret_cast<T*>(s.base)};
  }
  // Local: rma_attach when it is not attached. The memory may be freed afterwards.
  status detach(segment_handle handle,
                call_site at = call_site::here()) noexcept requires promises<A, assertion::attach> {
    return any_.detach(handle, at);
  }

  // --- put and get
  // One element. No other access may overlap it in the epoch (MPI-4.1 §12.7). Elements of 1, 2, 4
  // and 8 bytes never tear.
  status put(rank r, disp i, const T& value, call_site at = call_site::here()) noexcept {
    if (T* const there = data(r, i)) [[likely]] {
      detail::cpu_store(there, value);
      return {};
    }
    return view().ops->put(*view().core, r, i, &value, at);
  }
  // Result usable on return. T{} after a failure.
  [[nodiscard]] T get(rank r, disp i, call_site at = call_site::here()) noexcept {
    T value{};
    static_cast<void>(get(r, i, value, at));
    return value;
  }
  status get(rank r, disp i, T& value, call_site at = call_site::here()) noexcept {
    if (const T* const there = data(r, i)) [[likely]] {
      value = detail::cpu_load(there);
      return {};
    }
    return view().ops->get(*view().core, r, i, &value, at);
  }
  // values.size() elements.
  status put(rank r, disp i, std::span<const T> values, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::multi_element> {
    if (T* const there = run(r, i)) [[likely]] {
      if (!values.empty()) std::memcpy(there, values.data(), values.size_bytes());
      return {};
    }
    return view().ops->put_n(*view().core, r, i, values.data(), values.size(), nullptr, at);
  }
  status get(rank r, disp i, std::span<T> values, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::multi_element> {
    if (const T* const there = run(r, i)) [[likely]] {
      if (!values.empty()) std::memcpy(values.data(), there, values.size_bytes());
      return {};
    }
    return view().ops->get_n(*view().core, r, i, values.data(), values.size(), nullptr, at);
  }
  // Any layout on both sides; the type signatures must match (errc::type).
  status put(
      rank r, disp i, const void* origin, const shape& origin_shape, const shape& target,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::user_datatype> {
    return any_.put(r, i, origin, origin_shape, target, at);
  }
  status get(
      rank r, disp i, void* result, const shape& result_shape, const shape& target,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::user_datatype> {
    return any_.get(r, i, result, result_shape, target, at);
  }

  // --- Atomics: atomic for each element, among all accumulates of the window
  // Accumulates from one origin to one location are ordered only as ordered_replace and
  // ordered_accumulate promise. errc::op when `op` is not defined on T or not in the op set.
  template <atomic_op Op>
  status accumulate(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    if constexpr (inlined<Op>) {
      if (T* const there = atomic(r, i)) [[likely]] {
        if (alone())
          detail::plain_op<Op>(there, operand);
        else
          detail::cpu_op<Op>(there, operand);
        return {};
      }
    }
    return view().ops->accumulate(*view().core, Op, r, i, &operand, at);
  }
  status accumulate(atomic_op op, rank r, disp i, const T& operand,
                    call_site at = call_site::here()) noexcept {
    return view().ops->accumulate(*view().core, op, r, i, &operand, at);
  }
  status add(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    return accumulate<atomic_op::sum>(r, i, operand, at);
  }
  // Result usable on return: the element's value before. T{} after a failure.
  template <atomic_op Op>
  T fetch_op(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    T before{};
    static_cast<void>(fetch_op<Op>(r, i, operand, before, at));
    return before;
  }
  template <atomic_op Op>
  status fetch_op(rank r, disp i, const T& operand, T& before,
                  call_site at = call_site::here()) noexcept {
    if constexpr (inlined<Op>) {
      if (T* const there = atomic(r, i)) [[likely]] {
        before = alone() ? detail::plain_fetch_op<Op>(there, operand)
                         : detail::cpu_fetch_op<Op>(there, operand);
        return {};
      }
    }
    return view().ops->fetch_op(*view().core, Op, r, i, &operand, &before, at);
  }
  status fetch_op(atomic_op op, rank r, disp i, const T& operand, T& before,
                  call_site at = call_site::here()) noexcept {
    return view().ops->fetch_op(*view().core, op, r, i, &operand, &before, at);
  }
  T fetch_add(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    return fetch_op<atomic_op::sum>(r, i, operand, at);
  }
  // Stores `desired` if the element's bytes equal `expected`. Returns the value before. T of at
  // most 16 bytes (else errc::type).
  T compare_swap(rank r, disp i, const T& expected, const T& desired,
                 call_site at = call_site::here()) noexcept {
    T before{};
    static_cast<void>(compare_swap(r, i, expected, desired, before, at));
    return before;
  }
  status compare_swap(rank r, disp i, const T& expected, const T& desired, T& before,
                      call_site at = call_site::here()) noexcept {
    if constexpr (detail::cpu_atomic_inline<T>) {
      if (T* const there = atomic(r, i)) [[likely]] {
        before = detail::cpu_compare_swap(there, expected, desired);
        return {};
      }
    }
    return view().ops->compare_swap(*view().core, r, i, &expected, &desired, &before, at);
  }
  // Several elements.
  status accumulate(
      atomic_op op, rank r, disp i, std::span<const T> operands,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::multi_element> {
    return any_.accumulate(op, r, i, operands.data(), operands.size(), at);
  }
  // `before` receives the old values and has the size of `operands`; with no_op, `operands` may be
  // empty and `before` counts. errc::count when the sizes differ.
  status get_accumulate(
      atomic_op op, rank r, disp i, std::span<const T> operands, std::span<T> before,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::multi_element> {
    if (op != atomic_op::no_op && operands.size() != before.size())
      return any_.differ_in_size(operands.size(), before.size());
    return any_.get_accumulate(op, r, i, operands.data(), before.data(), before.size(), at);
  }
  status accumulate(
      atomic_op op, rank r, disp i, const void* origin, const shape& origin_shape,
      const shape& target,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::user_datatype> {
    return any_.accumulate(op, r, i, origin, origin_shape, target, at);
  }

  // --- Request-based forms: complete locally at wait
  request rput(rank r, disp i, std::span<const T> values, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::multi_element> {
    if (run(r, i) != nullptr) [[likely]]
      return request(put(r, i, values, at));
    return any_.rput(r, i, values.data(), values.size(), at);
  }
  request rget(rank r, disp i, std::span<T> values, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::multi_element> {
    if (run(r, i) != nullptr) [[likely]]
      return request(get(r, i, values, at));
    return any_.rget(r, i, values.data(), values.size(), at);
  }
  request raccumulate(
      atomic_op op, rank r, disp i, std::span<const T> operands,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::multi_element> {
    return any_.rget_accumulate(op, r, i, operands.data(), nullptr, operands.size(), at);
  }
  request rget_accumulate(
      atomic_op op, rank r, disp i, std::span<const T> operands, std::span<T> before,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::multi_element> {
    if (op != atomic_op::no_op && operands.size() != before.size())
      return request(any_.differ_in_size(operands.size(), before.size()));
    return any_.rget_accumulate(op, r, i, operands.data(), before.data(), before.size(), at);
  }

  // --- Notification (extension)
  // Puts one element and then adds 1 to counter `counter` of rank `r`: who sees the count sees the
  // element. One that is refused is not counted, and ends a wait for its count with its code.
  status put_notify(
      rank r, disp i, const T& value, std::size_t counter,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return any_.put_notify(r, i, &value, 1, counter, at);
  }
  // Waits until this rank's counter has reached `at_least`; counters only grow.
  status wait_notify(
      std::size_t counter, std::uint64_t at_least,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return any_.wait_notify(counter, at_least, at);
  }
  [[nodiscard]] std::uint64_t notified(
      std::size_t counter,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::notify> {
    return any_.notified(counter, at);
  }

  // The same window without its C++ type.
  [[nodiscard]] any_window& any() noexcept { return any_; }

 private:
  template <atomic_op Op>
  static constexpr bool inlined = fixed&& detail::cpu_atomic_inline<T>&& defined(Op,
                                                                                 primitive_of<T>());

  // Whether nobody else accesses the target in an epoch: only exclusive locks open any, and no two
  // threads of this process are in oriel at once.
  [[nodiscard]] bool alone() const noexcept {
    return detail::exclusive_only(A) && view().one_thread;
  }
  explicit window(any_window&& any) noexcept : synchronization<A>(std::move(any)) {}
  [[nodiscard]] T* data(rank r, disp i) const noexcept {
    return detail::reach<T, A>(view(), view().segments, r, i);
  }
  [[nodiscard]] T* run(rank r, disp i) const noexcept {
    return detail::reach<T, A, true>(view(), view().runs, r, i);
  }
  [[nodiscard]] T* atomic(rank r, disp i) const noexcept {
    return detail::reach<T, A>(view(), view().atomics, r, i);
  }
};

}  // namespace oriel
