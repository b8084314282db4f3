// Requests of MPI's for oriel's operations.
//
// MPI_Rput and its kind give out generalized requests of the host MPI (MPI-4.1 §13.2), so every
// call that takes a request takes them, among requests of messages too. The host does not look
// whether an operation is done: the calls that wait and test (completion_calls.cpp) do first.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "mpi/operations_in_flight.hpp"
#include "oriel/request.hpp"

namespace oriel::mpi {

// A request that is complete when `operation` is locally complete; if the operation failed, the
// call that completes the request returns its error code. An operation that is complete already
// costs one Grequest_start and one Grequest_complete, and no memory or progress later. Returns an
// error code of MPI; when that is not MPI_SUCCESS, the operation is complete all the same and there
// is no request. Any thread.
int make_request(oriel::request&& operation, MPI_Request* made) noexcept;
// The same for an operation of another kind, in flight.
int make_request(std::unique_ptr<pending_operation> operation, MPI_Request* made) noexcept;
// Complete from the start. `outcome` is the error code of MPI that completing it returns.
int make_complete_request(int outcome, MPI_Request* made) noexcept;
// Of a call that had nothing left to wait for; `made` is null where it is not to return a request.
inline int done(MPI_Request* made) noexcept {
  return made == nullptr ? MPI_SUCCESS : make_complete_request(MPI_SUCCESS, made);
}

// Whether any request waits for an operation. One relaxed load.
inline bool any_pending() noexcept {
  return in_flight.any();
}

// Makes progress for a call that is about to look at `count` requests, and completes those whose
// operations are done. Never waits.
inline void complete_done_requests(int count) noexcept {
  // A look at each operation is a look at the network. At all of 100,000 it would take longer than
  // the message that the caller waits for; but it may take as long as the host takes over `count`.
  constexpr std::size_t always = 64;
  constexpr std::size_t looks_of_the_host = 16;
  in_flight.complete_done(always +
                          static_cast<std::size_t>(std::max(count, 0)) / looks_of_the_host);
}

// What a call that the host has answered with `code` returns, after the errors of operations in the
// `count` statuses, which may be MPI_STATUSES_IGNORE, are put right where the host has made them
// its own.
int with_errors_of_operations(int code, int count, MPI_Status* statuses) noexcept;

// Waits for every operation that had a request when it was called, and completes the requests: at
// MPI_Finalize and MPI_Win_free. A request that another thread is completing just then may be
// complete a moment later.
inline void finish_requests() noexcept {
  in_flight.finish();
}

}  // namespace oriel::mpi
