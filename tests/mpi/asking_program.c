/* What run_mpi_test.sh starts: makes a window and tells how many ranks did; exits with its
 * argument, or ends at once by the signal that is its argument's negative. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank = 0, size = 0;
  void* base = NULL;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  if (argc > 1 && atoi(argv[1]) < 0) raise(-atoi(argv[1]));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_free(&win);
  if (rank == 0) printf("a window of %d ranks\n", size);
  MPI_Finalize();
  return argc > 1 ? atoi(argv[1]) : 0;
}
