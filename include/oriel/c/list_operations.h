// One operation on each of many elements that lie anywhere, on any ranks, as
// oriel/list_operations.hpp; and operations on one element whose result comes later, as
// oriel/nonblocking_operations.hpp.
//
// Require, and return besides what is stated here: as the operations of one element
// (c/operations.h). None needs ORIEL_ASSERT_MULTI_ELEMENT.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

// Lists. Operation j, of `n`, is on element disps[j] of rank ranks[j]. Values lie one behind
// another, each in an extent of the window's base datatype. On a node the lists are loops that
// fetch memory ahead; to another node, or to private memory of this one, many operations are one
// message.
//
// Sources reusable on return. Results usable after a local flush, or the end of the epoch; those of
// ranks of this node on return, but for private memory in windows that gather. Complete at the
// target after a flush. Accumulates of one list to one element are performed in the order of the
// list.
//
// Return ORIEL_ERR_RMA_RANGE for an element that is not exposed, of a rank of another node: those
// before it in the list are performed.
//
// Puts values[j]; gets results[j].
int oriel_window_scatter(oriel_window* window, size_t n, const int* ranks, const int64_t* disps,
                         const void* values);
int oriel_window_gather(oriel_window* window, size_t n, const int* ranks, const int64_t* disps,
                        void* results);
int oriel_window_accumulate_list(oriel_window* window, int op, size_t n, const int* ranks,
                                 const int64_t* disps, const void* operands);
// results[j] receives the value before. `operands` may be null for ORIEL_OP_NO_OP.
int oriel_window_fetch_op_list(oriel_window* window, int op, size_t n, const int* ranks,
                               const int64_t* disps, const void* operands, void* results);
int oriel_window_compare_swap_list(oriel_window* window, size_t n, const int* ranks,
                                   const int64_t* disps, const void* expected, const void* desired,
                                   void* results);

// Nonblocking forms of the operations on one element. Result usable after a local flush, or the end
// of the epoch; of a rank of this node on return, but for private memory in windows that gather.
// Operands are reusable on return.
int oriel_window_get_nbi(oriel_window* window, int rank, int64_t disp, void* value);
int oriel_window_fetch_op_nbi(oriel_window* window, int op, int rank, int64_t disp,
                              const void* operand, void* result);
int oriel_window_compare_swap_nbi(oriel_window* window, int rank, int64_t disp,
                                  const void* expected, const void* desired, void* result);

#ifdef __cplusplus
}
#endif
