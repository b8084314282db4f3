// The tests of mpi/'s datatypes run inside one MPI process, started bare or by mpiexec.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

#include "mpi/types.hpp"

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    std::fputs("These tests need an MPI that supports MPI_THREAD_MULTIPLE.\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  oriel::mpi::close_types();
  MPI_Finalize();
  return failed;
}
