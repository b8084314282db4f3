// any_window: a window whose base datatype is known at run time. It is the same object as
// `window<T>`, without the C++ type, for derived base datatypes and for interfaces over oriel.
#pragma once

#include <chrono>
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
#include "oriel/detail/owner_calls.hpp"
#include "oriel/detail/window_view.hpp"
#include "oriel/device_stream.hpp"
#include "oriel/epoch.hpp"
#include "oriel/request.hpp"
#include "oriel/segment.hpp"
#include "oriel/shape.hpp"
#include "oriel/statistics.hpp"
#include "oriel/sync_mode.hpp"
#include "oriel/team.hpp"
#include "oriel/window_options.hpp"

namespace oriel {

// The contracts of `window<T, A>` (oriel/window.hpp, oriel/synchronization.hpp) hold for the
// functions of the same names; comments here state what differs. Buffers are untyped and hold
// elements of the base datatype unless a shape describes them. Displacements count extents of the
// base datatype. Operations without the promise that they need return not_asserted.
class any_window {
 public:
  // See window::allocate. Throws type as well, where the extent of `base` is not above 0. `bare` is
  // for `window<T, A>`: its accesses may bypass the operation table.
  static any_window allocate(const team&, std::size_t count, const datatype& base, assertion_set,
                             const window_options& = {}, bool bare = false);
  // See window::create: `count` elements that begin at `memory`.
  static any_window create(const team&, void* memory, std::size_t count, const datatype& base,
                           assertion_set, const window_options& = {}, bool bare = false);
  // Returns a window without memory, to attach to.
  static any_window create(const team&, const datatype& base, assertion_set,
                           const window_options& = {});

  any_window() noexcept = default;
  any_window(any_window&&) noexcept;
  any_window& operator=(any_window&&) noexcept;
  // As `free`, whose status is dropped.
  ~any_window();
  // See synchronization::free. Does nothing to a window that is not valid.
  status free() noexcept;
  // See synchronization::valid.
  [[nodiscard]] bool valid() const noexcept { return view_.core != detail::closed_view.core; }

  // --- What was agreed: local; of a window that is not valid, empty
  [[nodiscard]] team members() const;
  [[nodiscard]] const datatype& base() const noexcept;
  [[nodiscard]] assertion_set assertions() const noexcept;
  [[nodiscard]] const std::string& name() const noexcept;
  // Returns the hints in force (MPI_Win_get_info).
  [[nodiscard]] info hints() const;
  // Returns lines for people, whose format may change: assertions, the route to each peer and why
  // it is no faster one, atomicity domain, progress, memory.
  [[nodiscard]] std::string explain() const;
  // Returns what this rank has done on the window so far; all zeros of a window that is not valid.
  // Single elements of mapped memory, which one instruction reaches, are not counted
  // (docs/STATISTICS.md), nor is, in part, what other threads do meanwhile.
  [[nodiscard]] window_statistics statistics() const noexcept;
  // Returns the bytes of oriel's own shared memory that the window takes on this node, all ranks
  // together.
  [[nodiscard]] std::size_t metadata_bytes() const noexcept;

  // --- Memory
  [[nodiscard]] shared_segment<std::byte> shared_query(rank) const noexcept;
  // As shared_query. Throws not_asserted without remote_load_store or node_load_store.
  [[nodiscard]] shared_segment<std::byte> remote(rank) const;
  // Addresses of all ranks' memory, by rank, for as long as the window lives; null in one that has
  // been freed. Requires: it is all mapped here. Throws no_mem.
  [[nodiscard]] std::byte* const* bases() const;
  [[nodiscard]] std::vector<segment<std::byte>> segments(rank) const;
  // See window::kernel_view.
  [[nodiscard]] detail::device_view kernel_view();
  // Returns why atomics of system scope by this process's kernels on what shared_query returns are
  // not atomic with all others there; empty where they are, and where it returns nothing.
  [[nodiscard]] std::string lacks_kernel_atomics(rank) const;
  // Return the address and the count of elements of what window::local returns; null and 0 of a
  // window that is not valid. local() throws not_asserted without local_load_store.
  [[nodiscard]] std::byte* local() const;
  [[nodiscard]] std::uint64_t local_count() const noexcept;
  // Returns how many elements rank `r` gave at construction; 0 of a window that is not valid, of a
  // rank that the team does not have, and with attach.
  [[nodiscard]] std::uint64_t elements_of(rank r) const noexcept;
  segment<std::byte> attach(void* memory, std::size_t count, call_site at = call_site::here());
  status detach(segment_handle, call_site at = call_site::here()) noexcept;

  // --- Operations on `n` elements; on other than one they need multi_element
  status put(rank r, disp i, const void* values, std::size_t n = 1,
             call_site at = call_site::here()) noexcept;
  status get(rank r, disp i, void* values, std::size_t n = 1,
             call_site at = call_site::here()) noexcept;
  status accumulate(atomic_op, rank, disp, const void* operands, std::size_t n = 1,
                    call_site at = call_site::here()) noexcept;
  // Need multi_element for one element, too. rget_accumulate with null results is an accumulate.
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
  // With shapes; need user_datatype. Origin, result and target may have layouts of their own.
  // Return type where type signatures differ. Buffer addresses may be null where a shape's
  // displacements are absolute addresses (MPI_BOTTOM); bounds may be negative; shapes without data
  // move nothing.
  status put(rank, disp, const void* origin, const shape& origin_shape, const shape& target,
             call_site at = call_site::here()) noexcept;
  status get(rank, disp, void* result, const shape& result_shape, const shape& target,
             call_site at = call_site::here()) noexcept;
  status accumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                    const shape& target, call_site at = call_site::here()) noexcept;
  status get_accumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                        void* result, const shape& result_shape, const shape& target,
                        call_site at = call_site::here()) noexcept;
  // The same as requests. Do not block, but for rget_accumulate to another node whose results are
  // not contiguous elements of one primitive: it blocks until they have arrived, to lay them out.
  request rput(rank, disp, const void* origin, const shape& origin_shape, const shape& target,
               call_site at = call_site::here()) noexcept;
  request rget(rank, disp, void* result, const shape& result_shape, const shape& target,
               call_site at = call_site::here()) noexcept;
  request raccumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                      const shape& target, call_site at = call_site::here()) noexcept;
  request rget_accumulate(atomic_op, rank, disp, const void* origin, const shape& origin_shape,
                          void* result, const shape& result_shape, const shape& target,
                          call_site at = call_site::here()) noexcept;
  // On dense elements of `type`, whatever the base, at any displacement; need user_datatype. For
  // interfaces over windows of bytes. Atomic with all accumulates of the same type on the same
  // elements; fastest where an element is aligned to its size. `operands` may be null for no_op,
  // `results` where none are wanted. Return op where `op` is not defined on `type`, as on opaque.
  status fetch_op(atomic_op, primitive type, rank, disp, const void* operand, void* result,
                  call_site at = call_site::here()) noexcept;
  status accumulate(atomic_op, primitive type, rank, disp, const void* operands, std::size_t n,
                    call_site at = call_site::here()) noexcept;
  status get_accumulate(atomic_op, primitive type, rank, disp, const void* operands, void* results,
                        std::size_t n, call_site at = call_site::here()) noexcept;
  request rget_accumulate(atomic_op, primitive type, rank, disp, const void* operands,
                          void* results, std::size_t n, call_site at = call_site::here()) noexcept;
  // Compares one such element by its bytes, padding included. Returns type for elements of more
  // than 16 bytes, 8 in device memory, and for opaque.
  status compare_swap(primitive type, rank, disp, const void* expected, const void* desired,
                      void* result, call_site at = call_site::here()) noexcept;
  // The same; the result is usable after flush_local, or the end of the epoch.
  status compare_swap_nbi(primitive type, rank, disp, const void* expected, const void* desired,
                          void* result, call_site at = call_site::here()) noexcept;
  // One operation on each of many elements: see list_operations.hpp. For interfaces over windows.
  status perform(const detail::element_list&, call_site at = call_site::here()) noexcept;
  // `n` may be 0: a notification alone.
  status put_notify(rank, disp, const void* values, std::size_t n, std::size_t counter,
                    std::uint32_t amount = 1, call_site at = call_site::here()) noexcept;
  // With shapes; needs user_datatype.
  status put_notify(rank, disp, const void* origin, const shape& origin_shape, const shape& target,
                    std::size_t counter, std::uint32_t amount = 1,
                    call_site at = call_site::here()) noexcept;
  status wait_notify(std::size_t counter, std::uint64_t at_least,
                     std::optional<std::chrono::milliseconds> at_most = {},
                     call_site at = call_site::here()) noexcept;
  status wait_notify_any(std::size_t first, std::span<const std::uint64_t> at_least,
                         std::size_t& counter,
                         std::optional<std::chrono::milliseconds> at_most = {},
                         call_site at = call_site::here()) noexcept;
  [[nodiscard]] std::uint64_t notified(std::size_t counter,
                                       call_site at = call_site::here()) noexcept;
  std::uint64_t take_notified(std::size_t counter, call_site at = call_site::here()) noexcept;

  // In the order of a stream: see stream_operations.hpp. Layouts of derived base datatypes hold in
  // buffers too.
  status put_on(device_stream, rank, disp, const void* values, std::size_t n,
                call_site at = call_site::here()) noexcept;
  status get_on(device_stream, rank, disp, void* values, std::size_t n,
                call_site at = call_site::here()) noexcept;
  status signal_on(device_stream, rank, std::size_t counter, std::uint32_t amount = 1,
                   call_site at = call_site::here()) noexcept;
  status wait_on(device_stream, std::size_t counter, std::uint64_t at_least,
                 call_site at = call_site::here()) noexcept;
  status wait_more_on(device_stream, std::size_t counter, std::uint64_t amount = 1,
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
  // Returns the text of the calling thread's last failure on this window, or of the window's first
  // where this thread has met none; empty when nothing has failed. It names the operation, the
  // rank, the window, the values, and what would be valid.
  [[nodiscard]] std::string failure() const;
  // Returns the text of the window's first failure, whose code flush and the ends of epochs return.
  [[nodiscard]] std::string first_failure() const;
  // Discards both: flush and the ends of epochs return success again.
  void clear_failure() noexcept;

  // For data structures over windows; not part of the interface. Calls that ranks of other nodes
  // make are performed from now on. Returns false where none can be made.
  bool serve_calls(const detail::owner_calls&) noexcept;
  // Requires: every rank serves them; owners are of other nodes. Results usable after a flush.
  status call_owners(std::uint8_t kind, std::span<const detail::owner_call_place> places,
                     const std::byte* requests, std::byte* results) noexcept;
  // For `window<T, A>`; not part of the interface.
  void require_any(assertion_set, const char* call) const;
  errc differ_in_size(std::size_t operands, std::size_t results) noexcept;
  errc lists_differ(std::size_t ranks, std::size_t disps, std::size_t values) noexcept;
  [[nodiscard]] const detail::window_view& view() const noexcept { return view_; }

 private:
  explicit any_window(detail::window_view view) noexcept : view_(view) {}
  detail::window_view view_ = detail::closed_view;
};

}  // namespace oriel
