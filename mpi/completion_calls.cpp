// The calls that complete requests, MPI-4.1 §3.7.3 and §3.7.5, served in the host's place.
//
// While operations of oriel's are in flight, those that test make progress first, and those that
// wait poll the host's tests with progress between: the host, waiting, would never make oriel's.
// While none is, each is one load and a call of the host's. MPI_Request_free and MPI_Cancel are
// left to the host: the requests' callbacks (requests.cpp) serve them.
#include <mpi.h>

#include <optional>

#include "mpi/host.hpp"
#include "mpi/known_requests.hpp"
#include "mpi/order.hpp"
#include "mpi/requests.hpp"
#include "sync/wait.hpp"

namespace oriel::mpi {
namespace {

// A poll looks at two networks, some 100 ns or more, so this spins for some microseconds; after
// that another process on this core may be the one that is waited for. It does not sleep, since a
// message of the host's would not wake it.
constexpr int polls_before_yielding = 20;

// Polls `count` requests until `poll` gives a result, which is returned, or until no operation is
// pending, when the host can wait by itself.
template <class Poll>
[[gnu::noinline]] std::optional<int> poll_while_pending(int count, Poll poll) noexcept {
  for (int polls = 0; any_pending(); ++polls) {
    complete_done_requests(count);
    if (const std::optional<int> result = poll()) return result;
    if (polls < polls_before_yielding)
      sync::cpu_relax();
    else
      sync::wait_ladder::yield();
  }
  return std::nullopt;
}

// What one test of the host's has come to: a result once it has `finished` or has failed.
std::optional<int> result_of(int code, bool finished) noexcept {
  if (finished || code != MPI_SUCCESS) return code;
  return std::nullopt;
}

// After a test that has found `done`, a flag or a number. What fails may have completed requests.
int after_test(int code, const int* done, completed_requests& completed) noexcept {
  return code == MPI_SUCCESS && *done == 0 ? code : completed.after(code);
}

void make_progress(int count) noexcept {
  if (any_pending()) [[unlikely]]
    complete_done_requests(count);
}

}  // namespace
}  // namespace oriel::mpi

using namespace oriel::mpi;  // NOLINT: the functions below are MPI's names

ORIEL_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  completed_requests completed(1, request);
  if (any_pending()) [[unlikely]] {
    const auto result = poll_while_pending(1, [&]() noexcept {
      int done = 0;
      const int code = ORIEL_HOST(Test)(request, &done, status);
      return result_of(code, done != 0);
    });
    if (result) return completed.after(*result);
  }
  return completed.after(ORIEL_HOST(Wait)(request, status));
}
ORIEL_ALSO_PMPI(Wait);

ORIEL_EXPORT int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  completed_requests completed(count, requests);
  if (any_pending()) [[unlikely]] {
    const auto result = poll_while_pending(count, [&]() noexcept {
      int done = 0;
      const int code = ORIEL_HOST(Testall)(count, requests, &done, statuses);
      return result_of(code, done != 0);
    });
    if (result) return with_errors_of_operations(completed.after(*result), count, statuses);
  }
  return with_errors_of_operations(completed.after(ORIEL_HOST(Waitall)(count, requests, statuses)),
                                   count, statuses);
}
ORIEL_ALSO_PMPI(Waitall);

ORIEL_EXPORT int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  completed_requests completed(count, requests);
  if (any_pending()) [[unlikely]] {
    const auto result = poll_while_pending(count, [&]() noexcept {
      int done = 0;
      const int code = ORIEL_HOST(Testany)(count, requests, index, &done, status);
      return result_of(code, done != 0);
    });
    if (result) return completed.after(*result);
  }
  return completed.after(ORIEL_HOST(Waitany)(count, requests, index, status));
}
ORIEL_ALSO_PMPI(Waitany);

ORIEL_EXPORT int MPI_Waitsome(int count, MPI_Request requests[], int* number, int indices[],
                              MPI_Status statuses[]) {
  completed_requests completed(count, requests);
  if (any_pending()) [[unlikely]] {
    const auto result = poll_while_pending(count, [&]() noexcept {
      const int code = ORIEL_HOST(Testsome)(count, requests, number, indices, statuses);
      return result_of(code, *number != 0);
    });
    if (result) return with_errors_of_operations(completed.after(*result), *number, statuses);
  }
  const int code = ORIEL_HOST(Waitsome)(count, requests, number, indices, statuses);
  return with_errors_of_operations(completed.after(code), *number, statuses);
}
ORIEL_ALSO_PMPI(Waitsome);

ORIEL_EXPORT int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  completed_requests completed(1, request);
  make_progress(1);
  const int code = ORIEL_HOST(Test)(request, done, status);
  return after_test(code, done, completed);
}
ORIEL_ALSO_PMPI(Test);

ORIEL_EXPORT int MPI_Testall(int count, MPI_Request requests[], int* done, MPI_Status statuses[]) {
  completed_requests completed(count, requests);
  make_progress(count);
  const int code = ORIEL_HOST(Testall)(count, requests, done, statuses);
  return with_errors_of_operations(after_test(code, done, completed), count, statuses);
}
ORIEL_ALSO_PMPI(Testall);

ORIEL_EXPORT int MPI_Testany(int count, MPI_Request requests[], int* index, int* done,
                             MPI_Status* status) {
  completed_requests completed(count, requests);
  make_progress(count);
  const int code = ORIEL_HOST(Testany)(count, requests, index, done, status);
  return after_test(code, done, completed);
}
ORIEL_ALSO_PMPI(Testany);

ORIEL_EXPORT int MPI_Testsome(int count, MPI_Request requests[], int* number, int indices[],
                              MPI_Status statuses[]) {
  completed_requests completed(count, requests);
  make_progress(count);
  const int code = ORIEL_HOST(Testsome)(count, requests, number, indices, statuses);
  return with_errors_of_operations(after_test(code, number, completed), *number, statuses);
}
ORIEL_ALSO_PMPI(Testsome);

ORIEL_EXPORT int MPI_Request_get_status(MPI_Request request, int* done, MPI_Status* status) {
  make_progress(1);
  const int code = ORIEL_HOST(Request_get_status)(request, done, status);
  return code == MPI_SUCCESS && *done == 0 ? code : after_completion(code);
}
ORIEL_ALSO_PMPI(Request_get_status);

ORIEL_EXPORT int MPI_Request_free(MPI_Request* request) {
  forget_request(request);
  return ORIEL_HOST(Request_free)(request);
}
ORIEL_ALSO_PMPI(Request_free);
