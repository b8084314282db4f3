// MPI_Init, MPI_Init_thread and MPI_Finalize: where the session is opened and closed.
#include "mpi/host.hpp"
#include "mpi/process.hpp"

ORIEL_EXPORT int MPI_Init(int* argc, char*** argv) {
  oriel::mpi::process::prepare_host();
  const int code = ORIEL_HOST(Init)(argc, argv);
  if (code == MPI_SUCCESS) oriel::mpi::process::open();
  return code;
}
ORIEL_ALSO_PMPI(Init);

ORIEL_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  oriel::mpi::process::prepare_host();
  const int code = ORIEL_HOST(Init_thread)(argc, argv, required, provided);
  if (code == MPI_SUCCESS) oriel::mpi::process::open();
  return code;
}
ORIEL_ALSO_PMPI(Init_thread);

ORIEL_EXPORT int MPI_Finalize() {
  oriel::mpi::process::close();
  return ORIEL_HOST(Finalize)();
}
ORIEL_ALSO_PMPI(Finalize);
