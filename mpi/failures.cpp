#include "mpi/failures.hpp"

#include <mpi.h>

namespace oriel::mpi {

int error_code_of(errc code) noexcept {
  switch (code) {
    case errc::success:
      return MPI_SUCCESS;
    case errc::rma_sync:
      return MPI_ERR_RMA_SYNC;
    case errc::rma_range:
      return MPI_ERR_RMA_RANGE;
    default:
      return MPI_ERR_OTHER;
  }
}

}  // namespace oriel::mpi
