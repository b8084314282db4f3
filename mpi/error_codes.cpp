#include "mpi/error_codes.hpp"

namespace oriel::mpi {

int error_code_of(errc code) noexcept {
  switch (code) {
    case errc::success:
      return MPI_SUCCESS;
    case errc::rma_sync:
      return MPI_ERR_RMA_SYNC;
    case errc::rma_range:
      return MPI_ERR_RMA_RANGE;
    case errc::rma_conflict:
      return MPI_ERR_RMA_CONFLICT;
    case errc::rma_attach:
      return MPI_ERR_RMA_ATTACH;
    case errc::rma_shared:
      return MPI_ERR_RMA_SHARED;
    case errc::rma_flavor:
      return MPI_ERR_RMA_FLAVOR;
    case errc::locktype:
      return MPI_ERR_LOCKTYPE;
    case errc::disp:
      return MPI_ERR_DISP;
    case errc::size:
      return MPI_ERR_SIZE;
    case errc::no_mem:
      return MPI_ERR_NO_MEM;
    case errc::base:
      return MPI_ERR_BASE;
    case errc::rank:
      return MPI_ERR_RANK;
    case errc::op:
      return MPI_ERR_OP;
    case errc::type:
      return MPI_ERR_TYPE;
    case errc::count:
      return MPI_ERR_COUNT;
    case errc::info:
      return MPI_ERR_INFO_VALUE;
    case errc::arg:
      return MPI_ERR_ARG;
    case errc::win:
      return MPI_ERR_WIN;
    case errc::not_asserted:
    case errc::unsupported_assertion:
    case errc::mismatched_assertions:
      return MPI_ERR_ASSERT;
    case errc::unsupported_kind:
    case errc::peer_failed:
    case errc::timed_out:
    case errc::system:
    case errc::mismatched_collective:
      break;
  }
  return MPI_ERR_OTHER;
}

}  // namespace oriel::mpi
