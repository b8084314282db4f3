// window<T, A>: memory of every rank of a team, typed by T, used as the assertions A promise.
//
//   constexpr auto promise = assertion::shared_lock | assertion::local_load_store;
//   auto hits = window<std::uint64_t, promise>::allocate(world, 1024);
//   auto epoch = hits.lock_all();
//   hits.put(next, disp{16}, 42).or_throw();
//
// With A fixed (a *static window*), using what was not promised does not compile. `window<T>` takes
// the assertions at construction, and such a call returns errc::not_asserted.
//
// These hold for every operation; comments below state what is particular to one.
//
// Requires: the target is a rank of members(); it exposes the elements named; an access epoch to it
// is open, where the window promises any. ORIEL_CHECK=1 verifies all of this (docs/CHECKING.md).
// Without it a violation is undefined. The exception: elements that the target does not expose are
// errc::rma_range where it is on another node, and in windows that promise attach; where both hold,
// the next flush or end of an epoch may return that and not the call.
//
// Complete at. *Source reusable*: the origin buffer may be changed. *Result usable*: the result
// buffer may be read. *Complete at the target*: every rank that synchronizes with this one
// afterwards sees the effect. An operation on one element has its source reusable and its result
// usable on return; all others after flush_local or request::wait. All are complete at the target
// after flush, and after the end of the epoch.
//
// Returns: success, a code that the comment states, or one of the route to the target: peer_failed,
// timed_out, no_mem, system. The window latches the first failure, which flush and the ends of
// epochs return until clear_failure(). failure() explains the calling thread's last failure,
// first_failure() the window's first.
//
// Throws: construction throws `error`, the same on every rank; operations are noexcept. What else
// throws is marked below. What attach, reshape and a call that was not promised throw is latched,
// too.
//
// Every call on a window that has been freed or moved from returns or throws errc::win (valid() has
// the exceptions); spans, kernels' views and addresses that it gave out are dangling.
//
// The operations below are of one element, or of several that follow one another. Bases of this
// class have those on lists of elements anywhere (list_operations.hpp), those on one element whose
// result comes later (nonblocking_operations.hpp), those in the order of a device's stream
// (stream_operations.hpp), notified puts (notifications.hpp), and epochs (synchronization.hpp).
//
// Threads: at thread_level::multiple any thread may operate on any window, in epochs that any
// thread of the process has opened, and accumulates are atomic among them too. Construction, fence,
// post/start/complete/wait and free are for one thread at a time per window.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "oriel/any_window.hpp"
#include "oriel/detail/copy_bytes.hpp"
#include "oriel/host_view.hpp"
#include "oriel/matrix_view.hpp"
#include "oriel/remote_view.hpp"
#include "oriel/stream_operations.hpp"

namespace oriel {

template <class T, assertion_set A = at_run_time>
class window : public stream_operations<T, A> {
  using synchronization<A>::any_;
  using synchronization<A>::seen;
  using mapped_access<T, A>::data;
  using mapped_access<T, A>::run;
  friend class remote_reference<T, A>;
  friend class remote_view<T, A>;
  static_assert(std::is_trivially_copyable_v<T>, "a window's base type is moved as bytes");
  static constexpr bool fixed = A != at_run_time;
  static constexpr bool bare = detail::always_mapped(A);

 public:
  using value_type = T;

  // --- Construction: collective over `t`
  // Requires: all ranks give the same assertions and options, but for hints.
  // Blocks until every rank of `t` has called it.
  // Throws on every rank alike mismatched_assertions, unsupported_assertion, unsupported_kind or
  // mismatched_collective; info, arg, size or base for an argument of some rank; no_mem, system,
  // peer_failed or timed_out.
  //
  // Returns a window on `count` elements of zeroed memory, reserved now, on this rank. Counts may
  // differ by rank; 0 is valid.
  static window allocate(const team& t, std::size_t count,
                         const window_options& options = {}) requires fixed {
    return window(any_window::allocate(t, count, datatype::of<T>(), A, options, bare));
  }
  static window allocate(const team& t, std::size_t count, assertion_set assertions,
                         const window_options& options = {}) requires(!fixed) {
    return window(any_window::allocate(t, count, datatype::of<T>(), assertions, options));
  }
  // Returns a window on the caller's memory. Memory of session::alloc_mem is mapped by the ranks on
  // the node; other memory is read and written through the kernel.
  // Requires: `memory` outlives the window, and is aligned for T (else base).
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
  // Returns a window without memory: `attach` adds it.
  static window create(const team& t, const window_options& options = {}) requires(
      fixed&& promises<A, assertion::attach>) {
    return window(any_window::create(t, datatype::of<T>(), A, options));
  }
  static window create(const team& t, assertion_set assertions,
                       const window_options& options = {}) requires(!fixed) {
    return window(any_window::create(t, datatype::of<T>(), assertions, options));
  }

  // Not valid().
  window() noexcept = default;

  // --- Memory
  // Returns this rank's memory that construction allocated or was given, an empty span where there
  // was none; what is attached is not in it. Throws not_asserted where assertions are given at run
  // time and local_load_store is not among them.
  [[nodiscard]] std::span<T> local() const
      noexcept(fixed) requires promises<A, assertion::local_load_store> {
    return {reinterpret_cast<T*>(any_.local()), any_.local_count()};
  }
  // Returns the memory of rank `r` as it is mapped here; an empty span where it is not mapped,
  // which remote_load_store rules out. sync() and the epochs order loads and stores of it with
  // other ranks' operations. Throws not_asserted likewise.
  [[nodiscard]] std::span<T> remote(rank r) const noexcept(fixed) requires
      promises_any<A, assertion::remote_load_store, assertion::node_load_store> {
    const auto s = any_.remote(r);
    return shared_segment<T>{s.of, reinterpret_cast<T*>(s.base), s.count}.span();
  }
  // Returns a view by which loops access elements of any rank (oriel/host_view.hpp). The first call
  // makes a table of 8 bytes a rank. Throws no_mem. There for static windows that promise
  // remote_load_store and not attach.
  [[nodiscard]] host_view<T, A> view() const
      requires(fixed&& promises<A, assertion::remote_load_store>&& fixed_parts<A>) {
    return host_view<T, A>(seen(), any_.bases());
  }
  // Returns the memory of rank `r` as a range of elements that are put and got
  // (oriel/remote_view.hpp). Throws not_asserted likewise.
  [[nodiscard]] remote_view<T, A> operator[](rank r) noexcept(fixed) requires
      promises_any<A, assertion::shared_lock, assertion::exclusive_lock> {
    if constexpr (!fixed)
      any_.require_any(assertion::shared_lock | assertion::exclusive_lock, "w[rank]");
    return {*this, r};
  }
  // Returns every rank's memory as a matrix (oriel/matrix_view.hpp). Local. Throws size where that
  // does not fit into this rank's memory, not_asserted likewise.
  [[nodiscard]] matrix_view<T, A> reshape(const matrix_extents& extents) requires(
      promises<A, assertion::local_load_store>&& fixed_parts<A>) {
    return {*this, extents};
  }
  // Returns where this process loads and stores the memory of rank `r` (MPI-4.1 §12.2.3); of
  // `any_rank`, that of the lowest rank on this node that has memory. Valid on every window. Where
  // the memory cannot be reached: a null base and count 0. Where a reachable rank has none: a base
  // that is not null and count 0.
  [[nodiscard]] shared_segment<T> shared_query(rank r) const noexcept {
    const auto s = any_.shared_query(r);
    return {s.of, reinterpret_cast<T*>(s.base), s.count};
  }
  // Returns every buffer that rank `r` exposes, in the order of displacements. Throws rank for a
  // rank that the team does not have; win; what a request to a rank of another node fails with.
  [[nodiscard]] std::vector<segment<T>> segments(rank r) const {
    std::vector<segment<T>> typed;
    for (const auto& s : any_.segments(r))
      typed.push_back({s.handle, s.first, s.count, reinterpret_cast<T*>(s.base)});
    return typed;
  }
  // Returns what a kernel's window_view<T> is made of (oriel/device.cuh). Local. The first call
  // starts a thread that serves kernels' requests.
  // Requires: the last kernel that uses it has ended when the window is freed.
  // Throws unsupported_kind unless the window's memory, here or on another rank of this node, is a
  // device's, managed or pinned; info where the kinds asserted leave device memory out; win,
  // no_mem, system.
  [[nodiscard]] detail::device_view kernel_view() { return any_.kernel_view(); }
  // Exposes `memory` at displacements [first, first + count) of the segment that it returns. Local.
  // Throws rma_attach where the memory is empty, a device's, or overlaps memory that is attached;
  // rma_shared where it is private and the window promises loads and stores by peers; no_mem, win.
  segment<T> attach(std::span<T> memory,
                    call_site at = call_site::here()) requires promises<A, assertion::attach> {
    const auto s = any_.attach(memory.data(), memory.size(), at);
    return {s.handle, s.first, s.count, reinterpret_cast<T*>(s.base)};
  }
  // Ends the exposure; the memory may be freed afterwards. Local, but for ranks of other nodes that
  // have put or got there: blocks until their processes have forgotten the segment.
  // Requires: no rank accesses the segment any more.
  // Returns rma_attach for a handle of no attached segment; timed_out where such a rank does not
  // answer: it may still access the memory.
  status detach(segment_handle handle,
                call_site at = call_site::here()) noexcept requires promises<A, assertion::attach> {
    return any_.detach(handle, at);
  }

  // --- put and get
  // Requires: no other access overlaps the elements in the epoch (MPI-4.1 §12.7).
  //
  // One element. Elements of 1, 2, 4 and 8 bytes never tear.
  status put(rank r, disp i, const T& value, call_site at = call_site::here()) noexcept {
    if (T* const there = data(r, i)) [[likely]] {
      detail::cpu_store(there, value);
      return {};
    }
    return seen().ops->put(*seen().core, r, i, &value, at);
  }
  // Returns the element; T{} after a failure.
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
    return seen().ops->get(*seen().core, r, i, &value, at);
  }
  // values.size() elements from displacement `i` on.
  status put(rank r, disp i, std::span<const T> values, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::multi_element> {
    if (T* const there = run(r, i)) [[likely]] {
      detail::copy_bytes(there, values.data(), values.size_bytes());
      return {};
    }
    return seen().ops->put_n(*seen().core, r, i, values.data(), values.size(), nullptr, at);
  }
  status get(rank r, disp i, std::span<T> values, call_site at = call_site::here()) noexcept
      requires promises<A, assertion::multi_element> {
    if (const T* const there = run(r, i)) [[likely]] {
      detail::copy_bytes(values.data(), there, values.size_bytes());
      return {};
    }
    return seen().ops->get_n(*seen().core, r, i, values.data(), values.size(), nullptr, at);
  }
  // Any layout on both sides: elements of `origin_shape` from address `origin`, elements of
  // `target` from displacement `i`. Returns type where the type signatures differ.
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
  // ordered_accumulate promise (MPI-4.1 §12.7.2).
  // Returns op where `op` is not in the window's op set or not defined on T (oriel/atomic_op.hpp;
  // on structs of the program's none is, replace neither).
  using list_operations<T, A>::accumulate;
  using list_operations<T, A>::fetch_op;
  using list_operations<T, A>::compare_swap;
  template <atomic_op Op>
  status accumulate(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    if (this->template accumulates<Op>(r, i, operand)) [[likely]]
      return {};
    return seen().ops->accumulate(*seen().core, Op, r, i, &operand, at);
  }
  status accumulate(atomic_op op, rank r, disp i, const T& operand,
                    call_site at = call_site::here()) noexcept {
    return seen().ops->accumulate(*seen().core, op, r, i, &operand, at);
  }
  status add(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    return accumulate<atomic_op::sum>(r, i, operand, at);
  }
  // Returns, or writes to `before`, the element's value before. The first form returns T{} after a
  // failure.
  template <atomic_op Op>
  T fetch_op(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    T before{};
    static_cast<void>(fetch_op<Op>(r, i, operand, before, at));
    return before;
  }
  template <atomic_op Op>
  status fetch_op(rank r, disp i, const T& operand, T& before,
                  call_site at = call_site::here()) noexcept {
    if (this->template fetches<Op>(r, i, operand, before)) [[likely]]
      return {};
    return seen().ops->fetch_op(*seen().core, Op, r, i, &operand, &before, at);
  }
  status fetch_op(atomic_op op, rank r, disp i, const T& operand, T& before,
                  call_site at = call_site::here()) noexcept {
    return seen().ops->fetch_op(*seen().core, op, r, i, &operand, &before, at);
  }
  T fetch_add(rank r, disp i, const T& operand, call_site at = call_site::here()) noexcept {
    return fetch_op<atomic_op::sum>(r, i, operand, at);
  }
  // Stores `desired` if the element's bytes equal those of `expected`. Returns, or writes to
  // `before`, the value before, likewise. Returns type where T has more than 16 bytes, or more than
  // 8 in device memory.
  T compare_swap(rank r, disp i, const T& expected, const T& desired,
                 call_site at = call_site::here()) noexcept {
    T before{};
    static_cast<void>(compare_swap(r, i, expected, desired, before, at));
    return before;
  }
  status compare_swap(rank r, disp i, const T& expected, const T& desired, T& before,
                      call_site at = call_site::here()) noexcept {
    if (this->swaps(r, i, expected, desired, before)) [[likely]]
      return {};
    return seen().ops->compare_swap(*seen().core, r, i, &expected, &desired, &before, at);
  }
  // operands.size() elements.
  status accumulate(
      atomic_op op, rank r, disp i, std::span<const T> operands,
      call_site at = call_site::here()) noexcept requires promises<A, assertion::multi_element> {
    return any_.accumulate(op, r, i, operands.data(), operands.size(), at);
  }
  // before.size() elements; `before` receives their values before. With no_op, `operands` may be
  // empty. Returns count where the sizes differ.
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

  // --- Request-based forms (MPI-4.1 §12.3.5): as the operations of the same names without `r`
  // Return a request, whose wait() returns the operation's code. Source reusable and result usable
  // after wait(), or once test() has returned true.
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

  // Returns the same window without its C++ type.
  [[nodiscard]] any_window& any() noexcept { return any_; }

 private:
  explicit window(any_window&& any) noexcept : stream_operations<T, A>(std::move(any)) {}
};

}  // namespace oriel
