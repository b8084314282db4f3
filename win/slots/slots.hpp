// The operations, as functions that fill a window's table. One file for each family; assemble()
// chooses among them once.
#pragma once

#include "oriel/detail/operation_table.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using detail::operation_table;
using detail::window_core;

void fill_data_slots(operation_table&, const window_core&);    // data.cpp
void fill_atomic_slots(operation_table&, const window_core&);  // atomic.cpp
// Over the former: one element by one instruction, where all is mapped.
void fill_mapped_atomic_slots(operation_table&, const window_core&);  // atomic_mapped.cpp
// Atomics on elements of other types than the base.
void fill_as_slots(operation_table&, const window_core&);   // as.cpp
void fill_active_slots(operation_table&);                   // active.cpp: fence, pscw
void fill_passive_slots(operation_table&);                  // passive.cpp: locks, flush
void fill_list_slot(operation_table&, const window_core&);  // list.cpp
void fill_notify_slots(operation_table&);                   // notify.cpp
// What a put_notify needs whatever its route: the rank, the counter, the promise.
errc check_notification(window_core&, rank, std::size_t n, detail::notice) noexcept;
errc check_typed_notification(window_core&, rank, detail::notice) noexcept;
// A refused one is not counted, but its target is notified: it may be waiting for the count.
void refuse_notification(window_core&, rank, detail::notice, errc why) noexcept;
void fill_attach_slots(operation_table&);  // attach.cpp
// In place of what was not promised: every one returns not_asserted and names the assertion.
void refuse_what_was_not_promised(operation_table&, assertion_set promised);  // refusing.cpp
// owner_calls.cpp. Returns false where ranks of other nodes cannot be called.
bool serve_calls(window_core&, const detail::owner_calls&) noexcept;
// Requires: serve_calls has returned true on every rank; owners are of other nodes. Results are
// usable after a flush.
errc call_owners(window_core&, std::uint8_t kind, std::span<const detail::owner_call_place> places,
                 const std::byte* requests, std::byte* results) noexcept;
// Over the former, in windows that gather; they are kept as `ungathered`.
void fill_gathered_slots(operation_table&);      // gathered.cpp
void fill_gathered_run_slots(operation_table&);  // gathered_runs.cpp: several elements, layouts
// Around the operations with an origin, where that may lie in device memory.
void fill_staged_slots(operation_table&);  // staged.cpp
// Around operations and synchronization (ORIEL_ADVERSARY).
void fill_late_slots(operation_table&, const window_core&);  // adversary/late_slots.cpp
// Around synchronization when ORIEL_CHECK=1, also of windows whose operations are not checked.
void fill_ordering_slots(operation_table&);  // check/ordering_slots.cpp
// Around all operations of the others.
void fill_checked_slots(operation_table&);  // check/checked_slots.cpp
// Around those, refusals too: what is found is reported (ORIEL_CHECK).
void fill_reporting_slots(operation_table&);  // check/reporting_slots.cpp
// Around those: when they began and ended (ORIEL_TRACE).
void fill_traced_slots(operation_table&);  // trace/traced_slots.cpp
// Fails with not_asserted: `what` needs `needed`.
errc refuse_unasserted(window_core&, std::string_view what, std::string_view needed) noexcept;
// The same for what is no operation: throws, unless one of `any` was promised.
void require_promise(window_core&, assertion_set any, std::string_view what);

// The table of a window whose other fields are complete.
void assemble(window_core&);

}  // namespace oriel::win
