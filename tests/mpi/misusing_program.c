/* What reported_calls.sh starts: rank 0 misuses a window and goes on, since errors are returned. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank = 0, one = 1, two = 2, i, *base = NULL;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (i = 0; rank == 0 && i < 3; ++i) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* no epoch: line 13 */
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);                 /* overlapped: line 15 */
    MPI_Accumulate(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win); /* line 16 */
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);                         /* twice: line 17 */
    MPI_Win_unlock(1, win);
  }
  /* One rank adds where the other multiplies; what one rank does is in order. */
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) {
    MPI_Accumulate(&two, 1, MPI_INT, 1, 4, 1, MPI_INT, MPI_SUM, win); /* line 23 */
    MPI_Accumulate(&two, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Accumulate(&two, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, win);
  } else {
    MPI_Accumulate(&two, 1, MPI_INT, 1, 4, 1, MPI_INT, MPI_PROD, win); /* line 27 */
  }
  MPI_Win_unlock(1, win);
  MPI_Win_free(&win);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
