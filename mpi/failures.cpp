#include "mpi/failures.hpp"

#include <cstdio>

#include "mpi/mpi_window.hpp"

namespace oriel::mpi {
namespace {

void say(const std::string& what) noexcept {
  std::fprintf(stderr, "oriel: %s\n", what.c_str());
}

}  // namespace

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
    case errc::not_asserted:
    case errc::unsupported_assertion:
    case errc::mismatched_assertions:
      return MPI_ERR_ASSERT;
    case errc::unsupported_kind:
    case errc::peer_failed:
    case errc::timed_out:
    case errc::system:
      break;
  }
  return MPI_ERR_OTHER;
}

int raise_class(mpi_window& w, int error_class, const std::string& what) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Win_get_errhandler(w.handle, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) say(what);
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  w.any.clear_failure();
  PMPI_Win_call_errhandler(w.handle, error_class);
  return error_class;
}

int raise(mpi_window& w, errc failed, const std::string& what) noexcept {
  return raise_class(w, error_code_of(failed), what.empty() ? w.any.failure() : what);
}

int raise(MPI_Comm comm, errc failed, const std::string& what) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Comm_get_errhandler(comm, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) say(what);
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  const int code = error_code_of(failed);
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

}  // namespace oriel::mpi
