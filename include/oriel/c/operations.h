// Operations on windows, as oriel/any_window.hpp. `disp` counts extents of the window's base
// datatype in the target's memory; `n` counts elements of it.
//
// Requires: the target is a rank of the team, it exposes the elements named, and an access epoch to
// it is open. ORIEL_CHECK=1 verifies all of this (docs/CHECKING.md). Without it a violation is
// undefined, but for elements that are not exposed by a rank of another node, or on a window that
// promises attach: ORIEL_ERR_RMA_RANGE.
//
// Complete at: operations on one element have their source reusable and their result usable on
// return, others after a local flush. All are complete at the target after a flush, and at the end
// of the epoch.
//
// Returns ORIEL_ERR_NOT_ASSERTED without ORIEL_ASSERT_MULTI_ELEMENT for other than one element, and
// without ORIEL_ASSERT_USER_DATATYPE from `_typed` and `_as` operations; ORIEL_ERR_OP for an `op`
// that is none, is not defined on the elements, or is not in the window's op set;
// ORIEL_ERR_PEER_FAILED, ORIEL_ERR_TIMED_OUT, ORIEL_ERR_NO_MEM or ORIEL_ERR_SYSTEM of the route to
// the target.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oriel/c/datatype.h"
#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

int oriel_window_put(oriel_window* window, int rank, int64_t disp, const void* values, size_t n);
int oriel_window_get(oriel_window* window, int rank, int64_t disp, void* values, size_t n);

// Atomic for each element, among all accumulates of the window. `results` receives the values
// before; `operands` may be null for ORIEL_OP_NO_OP.
int oriel_window_accumulate(oriel_window* window, int op, int rank, int64_t disp,
                            const void* operands, size_t n);
int oriel_window_get_accumulate(oriel_window* window, int op, int rank, int64_t disp,
                                const void* operands, void* results, size_t n);
// One element.
int oriel_window_fetch_op(oriel_window* window, int op, int rank, int64_t disp, const void* operand,
                          void* result);
// Stores `desired` if the element's bytes equal those of `expected`; `result` receives the value
// before. Returns ORIEL_ERR_TYPE for elements of more than 16 bytes, 8 in device memory.
int oriel_window_compare_swap(oriel_window* window, int rank, int64_t disp, const void* expected,
                              const void* desired, void* result);

// Any layout on both sides: `origin_count` elements of `origin_type` here, `target_count` of
// `target_type` there. Return ORIEL_ERR_TYPE where the type signatures differ.
int oriel_window_put_typed(oriel_window* window, int rank, int64_t disp, const void* origin,
                           size_t origin_count, const oriel_datatype* origin_type,
                           size_t target_count, const oriel_datatype* target_type);
int oriel_window_get_typed(oriel_window* window, int rank, int64_t disp, void* result,
                           size_t result_count, const oriel_datatype* result_type,
                           size_t target_count, const oriel_datatype* target_type);
int oriel_window_accumulate_typed(oriel_window* window, int op, int rank, int64_t disp,
                                  const void* origin, size_t origin_count,
                                  const oriel_datatype* origin_type, size_t target_count,
                                  const oriel_datatype* target_type);
int oriel_window_get_accumulate_typed(oriel_window* window, int op, int rank, int64_t disp,
                                      const void* origin, size_t origin_count,
                                      const oriel_datatype* origin_type, void* result,
                                      size_t result_count, const oriel_datatype* result_type,
                                      size_t target_count, const oriel_datatype* target_type);

// On dense elements of `primitive` (ORIEL_INT32, …), whatever the base, at any displacement. Atomic
// with all accumulates of the same type on the same elements. `results` may be null where none are
// wanted. Return ORIEL_ERR_TYPE for no element type; compare_swap_as also for ORIEL_OPAQUE and
// elements of more than 16 bytes, 8 in device memory.
int oriel_window_accumulate_as(oriel_window* window, int op, int primitive, int rank, int64_t disp,
                               const void* operands, size_t n);
int oriel_window_get_accumulate_as(oriel_window* window, int op, int primitive, int rank,
                                   int64_t disp, const void* operands, void* results, size_t n);
int oriel_window_fetch_op_as(oriel_window* window, int op, int primitive, int rank, int64_t disp,
                             const void* operand, void* result);
int oriel_window_compare_swap_as(oriel_window* window, int primitive, int rank, int64_t disp,
                                 const void* expected, const void* desired, void* result);

#ifdef __cplusplus
}
#endif
