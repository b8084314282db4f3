// Operations on windows, as oriel/any_window.hpp. `disp` counts extents of the window's base
// datatype in the target's memory; `n` counts elements of it.
//
// Completion: the source is reusable and the result usable after a local flush, and on return from
// fetch_op and compare_swap; everything is complete at the target after a flush and at the end of
// the epoch. `_typed` operations need ORIEL_ASSERT_USER_DATATYPE, those on other than one element
// ORIEL_ASSERT_MULTI_ELEMENT.
//
// Codes: ORIEL_ERR_NOT_ASSERTED, ORIEL_ERR_OP where `op` is not defined on the elements, and what
// the network reports. Ranks and displacements are not checked unless ORIEL_CHECK=1.
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

// Atomic for each element, among all accumulates of the window. `results` receive the values
// before; `operands` may be null for ORIEL_OP_NO_OP.
int oriel_window_accumulate(oriel_window* window, int op, int rank, int64_t disp,
                            const void* operands, size_t n);
int oriel_window_get_accumulate(oriel_window* window, int op, int rank, int64_t disp,
                                const void* operands, void* results, size_t n);
// One element.
int oriel_window_fetch_op(oriel_window* window, int op, int rank, int64_t disp, const void* operand,
                          void* result);
// Stores `desired` if the element's bytes equal `expected`; `result` receives the value before. For
// elements of at most 16 bytes, else ORIEL_ERR_TYPE.
int oriel_window_compare_swap(oriel_window* window, int rank, int64_t disp, const void* expected,
                              const void* desired, void* result);

// Any layout on both sides, whose type signatures must match (ORIEL_ERR_TYPE): `origin_count`
// elements of `origin_type` here, `target_count` of `target_type` there.
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

// Dense elements of `primitive` (ORIEL_INT32, …), whatever the base, at any displacement; need
// ORIEL_ASSERT_USER_DATATYPE. Atomic with all accumulates of the same type on the same elements.
// `results` may be null where none are wanted. ORIEL_ERR_TYPE for no element type and, in
// compare_swap, for ORIEL_OPAQUE and elements of more than 16 bytes.
int oriel_window_accumulate_as(oriel_window* window, int op, int primitive, int rank, int64_t disp,
                               const void* operands, size_t n);
int oriel_window_get_accumulate_as(oriel_window* window, int op, int primitive, int rank,
                                   int64_t disp, const void* operands, void* results, size_t n);
int oriel_window_fetch_op_as(oriel_window* window, int op, int primitive, int rank, int64_t disp,
                             const void* operand, void* result);
int oriel_window_compare_swap_as(oriel_window* window, int primitive, int rank, int64_t disp,
                                 const void* expected, const void* desired, void* result);

// Notification; needs ORIEL_ASSERT_NOTIFY. Puts, and then adds 1 to counter `counter` of `rank`:
// who sees the count sees the elements.
int oriel_window_put_notify(oriel_window* window, int rank, int64_t disp, const void* values,
                            size_t n, size_t counter);
// Waits until this rank's counter has reached `at_least`; counters only grow, from 0.
int oriel_window_wait_notify(oriel_window* window, size_t counter, uint64_t at_least);
int oriel_window_notified(oriel_window* window, size_t counter, uint64_t* value);

#ifdef __cplusplus
}
#endif
