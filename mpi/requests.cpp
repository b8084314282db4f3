#include "mpi/requests.hpp"

#include <cstdint>
#include <new>
#include <utility>

#include "mpi/error_codes.hpp"

namespace oriel::mpi {
namespace {

class operation_of_oriel final : public pending_operation {
 public:
  explicit operation_of_oriel(oriel::request&& operation) noexcept
      : operation_(std::move(operation)) {}
  bool test() noexcept override { return operation_.test(); }
  int wait() noexcept override { return error_code_of(operation_.wait().code()); }

 private:
  oriel::request operation_;
};

// The source in the status of an operation that failed, whose tag is the error code.
constexpr int failed_operation = MPI_UNDEFINED - 1;

// The query function of a generalized request. Of the status of a one-sided operation only the
// error is defined (MPI-4.1 §12.3.5): source and tag are free to carry the code to
// with_errors_of_operations.
int describe(int outcome, MPI_Status* status) noexcept {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  const bool failed = outcome != MPI_SUCCESS;
  status->MPI_SOURCE = failed ? failed_operation : MPI_UNDEFINED;
  status->MPI_TAG = failed ? outcome : MPI_UNDEFINED;
  return outcome;
}

int class_of(int code) noexcept {
  int found = MPI_ERR_OTHER;
  PMPI_Error_class(code, &found);
  return found;
}

// One-sided operations cannot be cancelled.
int refuse_cancel(void* /*state*/, int /*complete*/) {
  return MPI_ERR_REQUEST;
}

// The state of a request that was complete from the start is its outcome.
int query_complete(void* state, MPI_Status* status) {
  return describe(static_cast<int>(reinterpret_cast<std::intptr_t>(state)), status);
}
int free_complete(void* /*state*/) {
  return MPI_SUCCESS;
}

int query_operation(void* state, MPI_Status* status) {
  return describe(static_cast<pending_operation*>(state)->outcome(), status);
}
int free_operation(void* state) {
  static_cast<pending_operation*>(state)->let_go();
  return MPI_SUCCESS;
}

}  // namespace

int make_complete_request(int outcome, MPI_Request* made) noexcept {
#ifdef OPEN_MPI  // whose send to nobody has a status, costs 8 ns and takes no memory
  if (outcome == MPI_SUCCESS) [[likely]]
    return PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, made);
#endif
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the state is the outcome itself
  auto* const state = reinterpret_cast<void*>(std::intptr_t{outcome});
  const int code = PMPI_Grequest_start(query_complete, free_complete, refuse_cancel, state, made);
  return code == MPI_SUCCESS ? PMPI_Grequest_complete(*made) : code;
}

int make_request(std::unique_ptr<pending_operation> operation, MPI_Request* made) noexcept {
  const int code =
      PMPI_Grequest_start(query_operation, free_operation, refuse_cancel, operation.get(), made);
  if (code != MPI_SUCCESS) {
    operation->wait();
    return code;
  }
  in_flight.add(operation.release(), *made);
  return MPI_SUCCESS;
}

int make_request(oriel::request&& operation, MPI_Request* made) noexcept {
  if (!operation.test()) {
    std::unique_ptr<pending_operation> held(new (std::nothrow)
                                                operation_of_oriel(std::move(operation)));
    if (held != nullptr) return make_request(std::move(held), made);
    // Without memory to hold it: its completion is waited for here, below.
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): without memory nothing was moved from it
  return make_complete_request(error_code_of(operation.wait().code()), made);
}

int with_errors_of_operations(int code, int count, MPI_Status* statuses) noexcept {
  if (code == MPI_SUCCESS || statuses == MPI_STATUSES_IGNORE) [[likely]]
    return code;
  if (class_of(code) != MPI_ERR_IN_STATUS) return code;
  for (int i = 0; i < count; ++i) {
    MPI_Status& one = statuses[i];
    if (one.MPI_SOURCE != failed_operation) continue;
    // MPICH reports that the query failed, as an error of class MPI_ERR_OTHER. A status of another
    // class is of a request still pending, and has kept its source from an earlier call.
    if (class_of(one.MPI_ERROR) == MPI_ERR_OTHER) one.MPI_ERROR = one.MPI_TAG;
    one.MPI_SOURCE = one.MPI_TAG = MPI_UNDEFINED;
  }
  return code;
}

}  // namespace oriel::mpi
