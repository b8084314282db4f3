/* What own_accesses.sh starts, built with -fsanitize=thread: rank 0 puts to rank 1 and gets from
 * it, and both use the memory by loads and stores; own_accesses wrong|right. Errors are returned,
 * and the program goes on. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win win;
static int *mine, rank;

/* Long after what the other rank did, by a clock that orders nothing. */
static void much_later(void) {
  const double until = MPI_Wtime() + 0.1;
  while (MPI_Wtime() < until) {
  }
}

static void wrong(void) {
  int source = 1, result = 0, other = 0;
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Put(&source, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* line 23 */
    source = 2;                                          /* line 24 */
    MPI_Get(&result, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
    other = result;                                      /* line 26 */
    MPI_Get(&result, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /* line 27 */
    MPI_Win_flush(1, win);
  } else {
    much_later();
    other = mine[0]; /* line 31 */
    mine[1] = other; /* line 32 */
  }
  MPI_Win_unlock_all(win);
}

static void right(void) {
  int source = 1, result = 0, other = 0;
  MPI_Request request;
  MPI_Win_lock_all(0, win);
  if (rank == 1) mine[1] = 3;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Put(&source, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    other = source;
    MPI_Get(&result, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
    MPI_Win_flush_local(1, win);
    source = other = result;
    MPI_Rget(&result, 1, MPI_INT, 1, 2, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    other += result;
    MPI_Win_flush(1, win);
    MPI_Send(&other, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    other = mine[1] + mine[2];
    MPI_Recv(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    mine[1] = mine[0] + other;
  }
  MPI_Win_unlock_all(win);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  memset(mine, 0, 64);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "wrong") == 0)
    wrong();
  else
    right();
  MPI_Win_free(&win);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
