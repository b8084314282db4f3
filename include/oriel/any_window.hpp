// A window whose base datatype is known at run time: the same object as `window<T>`, without the
// C++ type. Use it for derived base datatypes and to build other interfaces on oriel.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/datatype.hpp"
#include "oriel/detail/device_view.hpp"
#include "oriel/detail/operation_table.hpp"
#include "oriel/detail/window_view.hpp"
#include "oriel/epoch.hpp"
#include "oriel/request.hpp"
#include "oriel/segment.hpp"
#include "oriel/shape.hpp"
#include "oriel/sync_mode.hpp"
#include "oriel/team.hpp"
#include "oriel/window_options.hpp"

namespace oriel {

// All ranks of the team construct together, and all succeed or all throw the same `error`:
// mismatched_assertions, unsupported_assertion, info, size, no_mem, rma_flavor or peer_failed.
// Buffers are untyped and hold elements of the base datatype unless a shape says otherwise;
// displacements count extents of the base datatype. Completion, errors and epochs are those of
// `window<T>`, whose documentation holds for every function here.
class any_window {
 public:
  // A window on `count` elements of zeroed memory that oriel allocates. Counts may differ by rank.
  // `bare` is for `window<T, A>`: its accesses may go to mapped memory without asking the table.
  static any_window allocate(const team&, std::size_t count, const datatype& base, assertion_set,
                             const window_options& = {}, bool bare = false);
  // A window on memory of the caller's, which must outlive it: `count` elements starting at
  // `memory`.
  static any_window create(const team&, void* memory, std::size_t count, const datatype& base,
                           assertion_set, const window_options& = {}, bool bare = false);
  // A window without memory, to attach to.
  static any_window create(const team&, const datatype& base, assertion_set,
                           const window_options& = {});

  any_window() noexcept = default;
  any_window(any_window&&) noexcept;
  any_window& operator=(any_window&&) noexcept;
  // As `free`, its status dropped.
  ~any_window();
  // See synchronization::free. Does nothing to a window that is not valid.
  status free() noexcept;
  // False once it has been freed or moved from, and before it was made.
  [[nodiscard]] bool valid() const noexcept { return view_.core != detail::closed_view.core; }

  // --- What was agreed
  [[nodiscard]] team members() const;
  [[nodiscard]] const datatype& base() const noexcept;
  [[nodiscard]] assertion_set assertions() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;
  [[nodiscard]] info hints() const;  // those in force
  // Why it is as fast as it is: assertions, route per peer, atomicity domain, who makes progress,
  // memory, and what kept it off a faster path. For people; the format may change.
  [[nodiscard]] std::string explain() const;
  // Bytes of oriel's own shared memory that the window takes on this node, all ranks together.
  [[nodiscard]] std::size_t metadata_bytes() const noexcept;

  // --- Memory
  [[nodiscard]] shared_segment<std::byte> shared_query(rank) const noexcept;
  // The same. Throws not_asserted without remote_load_store or node_load_store.
  [[nodiscard]] shared_segment<std::byte> remote(rank) const;
  [[nodiscard]] std::vector<segment<std::byte>> segments(rank) const;
  // See window::kernel_view.
  [[nodiscard]] detail::device_view kernel_view();
  // This rank's first segment. Throws not_asserted without local_load_store.
  [[nodiscard]] std::byte* local() const;
  [[nodiscard]] std::uint64_t local_count() const noexcept;
  segment<std::byte> attach(void* memory, std::size_t count, call_site at = call_site::here());
  status detach(segment_handle, call_site at = call_site::here()) noexcept;

  // --- Operations
  status put(rank r, disp i, const void* values, std::size_t n = 1,
             call_site at = call_site::here()) noexcept;
  status get(rank r, disp i, void* values, std::size_t n = 1,
             call_site at = call_site::here()) noexcept;
  status accumulate(atomic_op, rank, disp, const void* operands, std::size_t n = 1,
                    call_site at = call_site::here()) noexcept;
  // `n` elements; without results, an accumulate.
  request rput(rank, disp, const void* values, std::size_t n, call_site) noexcept;
  request rget(rank, disp, void* values, std::size_t n, call_site) noexcept;
  request rget_accumulate(atomic_op, rank, disp, const void* operands, void* results, std::size_t n,
                          call_site) noexcept;
  status get_accumulate(atomic_op, rank, disp, const void* operands, void* results,
                        std::size_t n = 1, call_site at = call_site::here()) noexcept;
  status fetch_op(atomic_op, rank, disp, const void* operand, void* result,
                  call_site at = call_site::here()) noexcept;
  status compare_swap(rank, disp, const void* expected, const void* desired, void* result,
                      call_site at = call_site::here()) noexcept;
  // With shapes (assertion::user_datatype): the three buffers may have layouts of their own; their
  // type signatures must match, else errc::type. Buffer addresses may be null where a shape's
  // displacements are absolute addresses (MPI_BOTTOM), bounds may be negative, and shapes without
  // data do nothing, whatever the addresses.
  status put(rank, disp, const void* origin, const shape& origin_shape, const shape& target,
             call_site at = call_site::here()) noexcept;
  status get(rank, disp, void* result, const shape& result_shape, const shape& target,
             call_site at = call_site::here()) noexcept;
  status accumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                    const shape& target, call_site at = call_site::here()) noexcept;
  status get_accumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                        void* result, const shape& result_shape, const shape& target,
                        call_site at = call_site::here()) noexcept;
  // The same as requests. To another node, get_accumulate waits inside for results that are not
  // contiguous elements of one primitive, since it lays them out itself; all else is only begun.
  request rput(rank, disp, const void* origin, const shape& origin_shape, const shape& target,
               call_site at = call_site::here()) noexcept;
  request rget(rank, disp, void* result, const shape& result_shape, const shape& target,
               call_site at = call_site::here()) noexcept;
  request raccumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                      const shape& target, call_site at = call_site::here()) noexcept;
  request rget_accumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                          void* result, const shape& result_shape, const shape& target,
                          call_site at = call_site::here()) noexcept;
  // Dense elements of `type`, whatever the base, at any displacement (assertion::user_datatype):
  // for interfaces over windows of bytes. Atomic with all accumulates of the same type on the same
  // elements; fastest where an element lies aligned to its size. `operands` may be null for no_op,
  // and `results` where none are wanted. errc::op where `op` is not defined on `type`, and on
  // opaque. Results: usable on return from fetch_op, after a flush from get_accumulate.
  status fetch_op(atomic_op, primitive type, rank, disp, const void* operand, void* result,
                  call_site at = call_site::here()) noexcept;
  status accumulate(atomic_op, primitive type, rank, disp, const void* operands, std::size_t n,
                    call_site at = call_site::here()) noexcept;
  status get_accumulate(atomic_op, primitive type, rank, disp, const void* operands, void* results,
                        std::size_t n, call_site at = call_site::here()) noexcept;
  request rget_accumulate(atomic_op, primitive type, rank, disp, const void* operands,
                          void* results, std::size_t n, call_site at = call_site::here()) noexcept;
  // One such element of at most 16 bytes, 8 in device memory, is compared by its bytes, padding
  // included; the result is usable on return. errc::type for wider ones and for opaque.
  status compare_swap(primitive type, rank, disp, const void* expected, const void* desired,
                      void* result, call_site at = call_site::here()) noexcept;
  status put_notify(rank, disp, const void* values, std::size_t n, std::size_t counter,
                    call_site at = call_site::here()) noexcept;
  status wait_notify(std::size_t counter, std::uint64_t at_least,
                     call_site at = call_site::here()) noexcept;
  [[nodiscard]] std::uint64_t notified(std::size_t counter,
                                       call_site at = call_site::here()) noexcept;

  // --- Synchronization
  status fence(sync_mode = no_mode, call_site at = call_site::here()) noexcept;
  status post(std::span<const rank>, sync_mode = no_mode,
              call_site at = call_site::here()) noexcept;
  status start(std::span<const rank>, sync_mode = no_mode,
               call_site at = call_site::here()) noexcept;
  status complete(call_site at = call_site::here()) noexcept;
  status wait(call_site at = call_site::here()) noexcept;
  [[nodiscard]] bool test(call_site at = call_site::here()) noexcept;
  status lock(lock_kind, rank, sync_mode = no_mode, call_site at = call_site::here()) noexcept;
  status unlock(rank, call_site at = call_site::here()) noexcept;
  status lock_all(sync_mode = no_mode, call_site at = call_site::here()) noexcept;
  status unlock_all(call_site at = call_site::here()) noexcept;
  status flush(rank, flush_scope = flush_scope::target, call_site at = call_site::here()) noexcept;
  status flush_all(flush_scope = flush_scope::target, call_site at = call_site::here()) noexcept;
  status sync(call_site at = call_site::here()) noexcept;

  // --- Failures
  // The text of the calling thread's last failure, or of the window's first where this thread has
  // met none: what, which rank, which window, what would be valid; empty when nothing failed.
  [[nodiscard]] std::string failure() const;
  // Of the window's first, whose code flush, fence, unlock and complete return until it is cleared.
  [[nodiscard]] std::string first_failure() const;
  void clear_failure() noexcept;

  // For `window<T, A>`; not part of the interface.
  errc differ_in_size(std::size_t operands, std::size_t results) noexcept;
  [[nodiscard]] const detail::window_view& view() const noexcept { return view_; }

 private:
  explicit any_window(detail::window_view view) noexcept : view_(view) {}
  detail::window_view view_ = detail::closed_view;
};

}  // namespace oriel
