// Runs the suite between MPI_Init_thread and MPI_Finalize, with errors returned.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    std::fprintf(stderr, "These tests need MPI_THREAD_MULTIPLE, and this MPI has it not.\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  ::testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  // The other ranks may wait for this one in a test that it has left.
  if (failed != 0) MPI_Abort(MPI_COMM_WORLD, failed);
  MPI_Finalize();
  return 0;
}
