// The table of a window's operations: one function each, chosen at construction. A feature that was
// not asserted has a *refusing* function in its slot, never a null one, so the hot path has no test
// for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "oriel/atomic_op.hpp"
#include "oriel/call_site.hpp"
#include "oriel/detail/element_list.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"
#include "oriel/rank.hpp"
#include "oriel/segment.hpp"
#include "oriel/shape.hpp"
#include "oriel/sync_mode.hpp"

namespace oriel::detail {

class window_core;
class request_state;

// An origin buffer that is read, and a result buffer that is written. A null shape: there is no
// such buffer. Addresses may be null where displacements are absolute.
struct typed_operands {
  const void* origin = nullptr;
  const shape* origin_shape = nullptr;
  void* result = nullptr;
  const shape* result_shape = nullptr;
  const shape* target_shape = nullptr;
};

// Whether the counter starts at 0 again.
enum class notify_read : std::uint8_t { look, take };

// `amount` more on a counter.
struct notice {
  std::size_t counter = 0;
  std::uint32_t amount = 1;
};

struct operation_table {
  using core = window_core&;

  // One element of the base type.
  errc (*put)(core, rank, disp, const void* value, call_site) noexcept;
  errc (*get)(core, rank, disp, void* value, call_site) noexcept;
  errc (*accumulate)(core, atomic_op, rank, disp, const void* operand, call_site) noexcept;
  errc (*fetch_op)(core, atomic_op, rank, disp, const void* operand, void* result,
                   call_site) noexcept;
  errc (*compare_swap)(core, rank, disp, const void* expected, const void* desired, void* result,
                       call_site) noexcept;
  // `n` elements of the base type; completion is counted in the request, if there is one.
  errc (*put_n)(core, rank, disp, const void* values, std::size_t n, request_state*,
                call_site) noexcept;
  errc (*get_n)(core, rank, disp, void* values, std::size_t n, request_state*, call_site) noexcept;
  errc (*accumulate_n)(core, atomic_op, rank, disp, const void* operands, void* results,
                       std::size_t n, request_state*, call_site) noexcept;
  // Derived datatypes; requests as above.
  errc (*put_typed)(core, rank, disp, const typed_operands&, request_state*, call_site) noexcept;
  errc (*get_typed)(core, rank, disp, const typed_operands&, request_state*, call_site) noexcept;
  errc (*accumulate_typed)(core, atomic_op, rank, disp, const typed_operands&, request_state*,
                           call_site) noexcept;
  // Elements of a primitive of the caller's, whatever the base; null results are not wanted.
  errc (*fetch_op_as)(core, atomic_op, primitive, rank, disp, const void* operand, void* result,
                      call_site) noexcept;
  errc (*compare_swap_as)(core, primitive, rank, disp, const void* expected, const void* desired,
                          void* result, call_site) noexcept;
  // The same, but the result is usable after a flush.
  errc (*begin_compare_swap_as)(core, primitive, rank, disp, const void* expected,
                                const void* desired, void* result, call_site) noexcept;
  errc (*accumulate_as)(core, atomic_op, primitive, rank, disp, const void* operands, void* results,
                        std::size_t n, request_state*, call_site) noexcept;
  // One element each, anywhere.
  errc (*list)(core, const element_list&, call_site) noexcept;
  // Notification.
  errc (*put_notify)(core, rank, disp, const void* values, std::size_t n, notice,
                     call_site) noexcept;
  errc (*put_notify_typed)(core, rank, disp, const typed_operands&, notice, call_site) noexcept;
  // For `at_most`, or as long as waits of the session may take.
  errc (*wait_notify)(core, std::size_t counter, std::uint64_t at_least,
                      std::optional<std::chrono::milliseconds> at_most, call_site) noexcept;
  // The same for any of the counters from `first` on, each with its value; `counter`: which.
  errc (*wait_notify_any)(core, std::size_t first, std::span<const std::uint64_t> at_least,
                          std::size_t* counter, std::optional<std::chrono::milliseconds> at_most,
                          call_site) noexcept;
  errc (*read_notify)(core, std::size_t counter, notify_read, std::uint64_t* value,
                      call_site) noexcept;
  // Synchronization.
  errc (*fence)(core, sync_mode, call_site) noexcept;
  errc (*post)(core, std::span<const rank>, sync_mode, call_site) noexcept;
  errc (*start)(core, std::span<const rank>, sync_mode, call_site) noexcept;
  errc (*complete)(core, call_site) noexcept;
  errc (*wait)(core, bool* done, call_site) noexcept;  // done == nullptr: blocks
  errc (*lock)(core, lock_kind, rank, sync_mode, call_site) noexcept;
  errc (*unlock)(core, rank, call_site) noexcept;
  errc (*lock_all)(core, sync_mode, call_site) noexcept;
  errc (*unlock_all)(core, call_site) noexcept;
  errc (*flush)(core, rank, flush_scope, call_site) noexcept;  // any_rank: every target
  errc (*sync)(core, call_site) noexcept;
  // Segments.
  errc (*attach)(core, void* base, std::uint64_t count, segment<std::byte>* attached,
                 call_site) noexcept;
  errc (*detach)(core, segment_handle, call_site) noexcept;
};

}  // namespace oriel::detail
