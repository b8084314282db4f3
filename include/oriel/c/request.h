// Request-based operations, as oriel/request.hpp.
//
// A request completes locally: the source is reusable and the result usable. Complete at the target
// only after a flush. An operation that is complete on return, as every one within a node, sets a
// null request, which every function here takes for a complete one. An operation that returns
// another code than ORIEL_SUCCESS sets none. Any number may be outstanding.
//
// All need ORIEL_ASSERT_MULTI_ELEMENT, for one element too; `_typed` and `_as` operations need
// ORIEL_ASSERT_USER_DATATYPE instead.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "oriel/c/datatype.h"
#include "oriel/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_request oriel_request;

// As the operations of the same names without `r` (c/operations.h).
int oriel_window_rput(oriel_window* window, int rank, int64_t disp, const void* values, size_t n,
                      oriel_request** request);
int oriel_window_rget(oriel_window* window, int rank, int64_t disp, void* values, size_t n,
                      oriel_request** request);
int oriel_window_raccumulate(oriel_window* window, int op, int rank, int64_t disp,
                             const void* operands, size_t n, oriel_request** request);
int oriel_window_rget_accumulate(oriel_window* window, int op, int rank, int64_t disp,
                                 const void* operands, void* results, size_t n,
                                 oriel_request** request);

int oriel_window_rput_typed(oriel_window* window, int rank, int64_t disp, const void* origin,
                            size_t origin_count, const oriel_datatype* origin_type,
                            size_t target_count, const oriel_datatype* target_type,
                            oriel_request** request);
int oriel_window_rget_typed(oriel_window* window, int rank, int64_t disp, void* result,
                            size_t result_count, const oriel_datatype* result_type,
                            size_t target_count, const oriel_datatype* target_type,
                            oriel_request** request);
int oriel_window_raccumulate_typed(oriel_window* window, int op, int rank, int64_t disp,
                                   const void* origin, size_t origin_count,
                                   const oriel_datatype* origin_type, size_t target_count,
                                   const oriel_datatype* target_type, oriel_request** request);
// Blocks, to another node, until results that are not contiguous elements of one primitive have
// arrived.
int oriel_window_rget_accumulate_typed(oriel_window* window, int op, int rank, int64_t disp,
                                       const void* origin, size_t origin_count,
                                       const oriel_datatype* origin_type, void* result,
                                       size_t result_count, const oriel_datatype* result_type,
                                       size_t target_count, const oriel_datatype* target_type,
                                       oriel_request** request);
int oriel_window_rget_accumulate_as(oriel_window* window, int op, int primitive, int rank,
                                    int64_t disp, const void* operands, void* results, size_t n,
                                    oriel_request** request);

// `done`: 1 once the request is locally complete or its target has died, else 0. Does not block;
// makes progress. The request must still be waited for, which frees it.
int oriel_request_test(const oriel_request* request, int* done);
// Blocks until the request is locally complete, and frees it. Returns ORIEL_SUCCESS, or the
// operation's ORIEL_ERR_PEER_FAILED, ORIEL_ERR_TIMED_OUT or ORIEL_ERR_RMA_RANGE.
int oriel_request_wait(oriel_request* request);
// The same for `n` requests, each of which it sets to null. Returns the first failure in their
// order.
int oriel_request_wait_all(size_t n, oriel_request** requests);

#ifdef __cplusplus
}
#endif
