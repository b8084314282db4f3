/* A program that relies on more than it synchronized for, and the same one put right: hasty_program
 * wrong|right, on two ranks. Rank 0 prints for each of its expectations whether it has come true.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int me, right;

static void tell(const char* what, int came) {
  int all = 0;
  MPI_Allreduce(&came, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (me == 0) printf("%s %s\n", what, all ? "came" : "failed");
}

/* How long collectives take in all. */
static void meet(void) {
  const double began = MPI_Wtime();
  int i, mine = 1, all = 0;
  for (i = 0; i < 100; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  }
  if (me == 0) printf("collectives_took_us %ld\n", (long)(1e6 * (MPI_Wtime() - began)));
}

int main(int argc, char** argv) {
  int *memory = NULL, got = 0, sent = 41, one = 1;
  MPI_Win win;
  MPI_Request getting;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  right = argc > 1 && strcmp(argv[1], "right") == 0;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 7, memory[1] = memory[2] = 0;
  MPI_Win_lock_all(0, win);
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);

  if (me == 0) MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  if (right) MPI_Win_flush(1, win);
  tell("result_of_a_get", me != 0 || got == 7);
  MPI_Win_flush_all(win);

  got = 0;
  if (me == 0) {
    MPI_Rget(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &getting);
    if (right) MPI_Wait(&getting, MPI_STATUS_IGNORE);
  }
  tell("result_of_a_request", me != 0 || got == 7);
  if (me == 0 && !right) MPI_Wait(&getting, MPI_STATUS_IGNORE);

  got = -1;
  if (me == 0) MPI_Fetch_and_op(&one, &got, MPI_INT, 1, 2, MPI_SUM, win);
  if (right) MPI_Win_flush_local_all(win);
  tell("result_of_an_accumulate", me != 0 || got == 0);

  if (me == 0) {
    MPI_Put(&sent, 1, MPI_INT, 1, 1, 1, MPI_INT, win);
    if (right) MPI_Win_flush_local(1, win);
    sent = 0;
    MPI_Win_flush(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  tell("source_of_a_put", me == 0 || memory[1] == 41);
  meet();

  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
