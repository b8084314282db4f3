#include "mpi/failures.hpp"

#include <cstdio>

#include "mpi/mpi_window.hpp"

namespace oriel::mpi {
namespace {

void say(const std::string& what) noexcept {
  std::fprintf(stderr, "oriel: %s\n", what.c_str());
}

}  // namespace

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

int raise(mpi_window& w, errc failed) noexcept {
  return raise(w, failed, {});
}

int out_of_epoch(mpi_window& w, const char* call, const char* why) noexcept {
  return raise_class(w, MPI_ERR_RMA_SYNC, std::string(call) + ": " + why);
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
