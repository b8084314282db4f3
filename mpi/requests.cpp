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

// What the host asks of a generalized request. A status says nothing of a one-sided operation
// except whether it failed (MPI-4.1 §12.3.5).
int describe(int outcome, MPI_Status* status) noexcept {
  PMPI_Status_set_elements(status, MPI_BYTE, 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return outcome;
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
  const int code =
      PMPI_Grequest_start(query_complete, free_complete, refuse_cancel,
                          reinterpret_cast<void*>(static_cast<std::intptr_t>(outcome)), made);
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
  return make_complete_request(error_code_of(operation.wait().code()), made);
}

}  // namespace oriel::mpi
