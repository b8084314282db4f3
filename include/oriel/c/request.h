// Request-based operations, as oriel/request.hpp.
//
// Completion of a request is local: the source is reusable and the result usable; completion at the
// target takes a flush. An operation that is complete when it returns, as every one within a node
// is, gives a null request, which every function here takes for a complete one. When an operation
// returns a code other than ORIEL_SUCCESS there is no request. Any number may be outstanding.
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
// To another node this waits inside for results that are not contiguous elements of one primitive.
int oriel_window_rget_accumulate_typed(oriel_window* window, int op, int rank, int64_t disp,
                                       const void* origin, size_t origin_count,
                                       const oriel_datatype* origin_type, void* result,
                                       size_t result_count, const oriel_datatype* result_type,
                                       size_t target_count, const oriel_datatype* target_type,
                                       oriel_request** request);
int oriel_window_rget_accumulate_as(oriel_window* window, int op, int primitive, int rank,
                                    int64_t disp, const void* operands, void* results, size_t n,
                                    oriel_request** request);

// Makes progress; `done` is 1 once the request is locally complete, else 0. The request stays and
// must still be waited for.
int oriel_request_test(const oriel_request* request, int* done);
// Waits and frees the request. Returns what became of the operation: ORIEL_ERR_PEER_FAILED,
// ORIEL_ERR_TIMED_OUT or ORIEL_ERR_RMA_RANGE besides success.
int oriel_request_wait(oriel_request* request);
// The same for `n` requests, setting each to null; returns the first failure in their order.
int oriel_request_wait_all(size_t n, oriel_request** requests);

#ifdef __cplusplus
}
#endif
