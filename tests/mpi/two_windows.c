/* What two_windows.sh starts: two_windows wrong|right. Rank 0 puts to memory of rank 1 by one
 * window and by another one that has the same memory. Errors are returned, and the program goes on.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Win allotted, again, created, twice, attached;
static int *shared, *own, rank, one = 1, two = 2;
static MPI_Aint there;

/* Long after what the other rank did, by a clock that orders nothing. */
static void much_later(void) {
  const double until = MPI_Wtime() + 0.3;
  while (MPI_Wtime() < until) {
  }
}

static void wrong(void) {
  if (rank == 0) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, allotted);                       /* line 22 */
    MPI_Put(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, again);                          /* line 23 */
    MPI_Put(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, created);                        /* line 24 */
    MPI_Put(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, created);                        /* line 25 */
    MPI_Put(&two, 1, MPI_INT, 1, there + 2 * sizeof(int), 1, MPI_INT, attached); /* 26 */
  } else {
    much_later();
    MPI_Get(&two, 1, MPI_INT, 1, 1, 1, MPI_INT, twice); /* line 29 */
  }
}

static void right(void) {
  if (rank == 0) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, allotted);
    MPI_Put(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, again);
    MPI_Win_flush(1, allotted);
    MPI_Put(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, again);
    MPI_Put(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, created);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_SUM, created);
    MPI_Accumulate(&one, 1, MPI_INT, 1, there + 2 * sizeof(int), 1, MPI_INT, MPI_SUM, attached);
    MPI_Win_flush_all(created);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Get(&two, 1, MPI_INT, 1, 3, 1, MPI_INT, twice);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, twice);
  }
}

int main(int argc, char** argv) {
  MPI_Win* const all[] = {&attached, &twice, &created, &again, &allotted};
  int i;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  own = calloc(16, sizeof(int));
  MPI_Win_allocate_shared(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &allotted);
  MPI_Win_create(shared, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &again);
  MPI_Win_create(own, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &created);
  MPI_Win_create(own, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &twice);
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &attached);
  MPI_Win_attach(attached, own, 64);
  MPI_Get_address(own, &there);
  MPI_Bcast(&there, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  for (i = 0; i < 5; ++i) {
    MPI_Win_set_errhandler(*all[i], MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, *all[i]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "wrong") == 0)
    wrong();
  else
    right();
  for (i = 0; i < 5; ++i) MPI_Win_unlock_all(*all[i]);
  MPI_Win_detach(attached, own);
  for (i = 0; i < 5; ++i) MPI_Win_free(all[i]);
  free(own);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
