// ORIEL_CHECK: which requests are sends, or receives from a known process, so that who completes
// them has heard of nobody else. Any thread.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

namespace oriel::mpi {

// A send has begun, which is not synchronous; or a receive from process `source` of the
// communicator. Or the program gives the request up. Each returns `code`, of the call.
int note_send(int code, const MPI_Request*) noexcept;
int note_receive(int code, const MPI_Request*, int source, MPI_Comm) noexcept;
void forget_request(const MPI_Request*) noexcept;

// The requests of one call that may complete some.
class completed_requests {
 public:
  completed_requests(int count, const MPI_Request requests[]) noexcept;

  // After the call. As after_completion(), but that nobody else is heard of than whom completed
  // requests have received from, where all of them are known.
  int after(int code) noexcept;

 private:
  struct known_request {
    MPI_Request handle;
    int source;  // as a rank of the job; or MPI_PROC_NULL
  };
  const MPI_Request* requests_;
  std::optional<std::vector<known_request>> before_;  // where all are known
};

}  // namespace oriel::mpi
