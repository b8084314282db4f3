/* What broken_asserts.sh starts: broken_asserts wrong|stores|right. Two ranks give asserts to
 * synchronization calls, which are not true, or are. Errors are returned, and the program goes
 * on. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static MPI_Win win;
static MPI_Group other;
static int *mine, rank, one = 1, result;

static void put(void) {
  MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* line 13 */
}

/* Long after what the other rank did, by a clock that orders nothing. */
static void much_later(void) {
  const double until = MPI_Wtime() + 0.3;
  while (MPI_Wtime() < until) {
  }
}

static void wrong(void) {
  MPI_Win_fence(0, win);
  if (rank == 0) put();
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);                          /* line 26 */
  MPI_Win_fence(rank == 1 ? MPI_MODE_NOPUT : 0, win);              /* line 27 */
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* line 28 */
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* line 30 */
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_start(other, 0, win);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win); /* line 34 */
    MPI_Win_complete(win);
    MPI_Win_start(other, MPI_MODE_NOCHECK, win); /* line 36 */
    MPI_Win_complete(win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, win); /* line 38 */
  } else {
    MPI_Win_post(other, MPI_MODE_NOPUT, win); /* line 40 */
    MPI_Win_wait(win);
    much_later();
    MPI_Win_post(other, 0, win);
    MPI_Win_wait(win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); /* line 47 */
  if (rank == 0) MPI_Win_unlock(1, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, win); /* line 50 */
  if (rank == 0) MPI_Win_unlock(1, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) MPI_Win_unlock(1, win);
}

static void stores(void) {
  MPI_Win_fence(0, win);
  if (rank == 1) mine[3] = 1;           /* line 58 */
  MPI_Win_fence(MPI_MODE_NOSTORE, win); /* line 59 */
  MPI_Win_fence(MPI_MODE_NOSTORE, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 1) {
    mine[4] = 1;                                /* line 63 */
    MPI_Win_post(other, MPI_MODE_NOSTORE, win); /* line 64 */
    MPI_Win_wait(win);
  } else {
    MPI_Win_start(other, 0, win);
    MPI_Win_complete(win);
  }
}

static void right(void) {
  mine[1] = rank;
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  if (rank == 0) put();
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, win);
  if (rank == 0) MPI_Get(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  MPI_Win_fence(rank == 0 ? MPI_MODE_NOPUT : 0, win);
  if (rank == 0) put();
  MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED | MPI_MODE_NOPUT, win);
  if (rank == 0) {
    MPI_Win_start(other, 0, win);
    MPI_Get(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_start(other, MPI_MODE_NOCHECK, win);
    put();
    MPI_Win_complete(win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, MPI_MODE_NOCHECK, win);
    put();
    MPI_Win_unlock(1, win);
  } else {
    MPI_Win_post(other, MPI_MODE_NOPUT | MPI_MODE_NOSTORE, win);
    MPI_Win_wait(win);
    MPI_Win_post(other, MPI_MODE_NOCHECK, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_wait(win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Win_unlock(1, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  if (rank == 0) put();
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Group all;
  int i, whom;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  whom = 1 - rank;
  MPI_Group_incl(all, 1, &whom, &other);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (i = 0; i < 20; ++i) {
    if (strcmp(argv[1], "wrong") == 0) wrong();
    if (strcmp(argv[1], "stores") == 0) stores();
    if (strcmp(argv[1], "right") == 0) right();
  }
  MPI_Win_free(&win);
  MPI_Group_free(&all);
  MPI_Group_free(&other);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
