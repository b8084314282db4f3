#include "mpi/failures.hpp"

#include <cstdio>

#include "mpi/mpi_window.hpp"
#include "session/bootstrap/code_place.hpp"
#include "session/session_state.hpp"
#include "win/window_core.hpp"

namespace oriel::mpi {
namespace {

void say(const std::string& what) noexcept {
  std::fprintf(stderr, "oriel: %s\n", what.c_str());
}

// ORIEL_CHECK: what this library refuses before it calls the window, which reports the rest.
void report(mpi_window& w, call_site at, const std::string& what) noexcept {
  detail::window_core& core = *w.any.view().core;
  if (!core.agreed.checked) return;
  sessions::findings& found = core.group->session().found();
  try {
    found.report("window '" + core.agreed.name + "', rank " + std::to_string(core.me()) + ": " +
                     what + " (" + found.words_of(at) + ")",
                 at);
  } catch (const std::bad_alloc&) {
    found.report(what, at);
  }
}

int call_handler(mpi_window& w, int error_class, const std::string& what) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  PMPI_Win_get_errhandler(w.handle, &handler);
  if (handler == MPI_ERRORS_ARE_FATAL) say(what);
  if (handler != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&handler);
  w.any.clear_failure();
  PMPI_Win_call_errhandler(w.handle, error_class);
  return error_class;
}

}  // namespace

int raise_class(mpi_window& w, call_site at, int error_class, const std::string& what) noexcept {
  if (error_class != MPI_ERR_NO_MEM) report(w, at, what);
  return call_handler(w, error_class, what);
}

int raise(mpi_window& w, errc failed) noexcept {
  return call_handler(w, error_code_of(failed), w.any.failure());
}

int out_of_epoch(mpi_window& w, call_site at, const char* call, const char* why) noexcept {
  return raise_class(w, at, MPI_ERR_RMA_SYNC, std::string(call) + ": " + why);
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
