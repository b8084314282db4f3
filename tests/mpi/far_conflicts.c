/* What far_conflicts.sh starts with four ranks: far_conflicts wrong|right. Two share a node that
 * they pretend, and the other two do; all that is accessed is rank 2's. In each pair rank 1, 2 or 3
 * comes after rank 0 by a barrier, which orders them once what was before it is complete. Errors
 * are returned, and the program goes on. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Win win;
static MPI_Group all, target, origins;
static int rank, is_right, place, one = 1, got[2];
static double many = 1;

static void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}
#define PUT MPI_Put(&one, 1, MPI_INT, 2, place, 1, MPI_INT, win)
#define GET MPI_Get(got, 1, MPI_INT, 2, place, 1, MPI_INT, win)
#define ADD MPI_Accumulate(&one, 1, MPI_INT, 2, place, 1, MPI_INT, MPI_SUM, win)
#define ADD_DOUBLE MPI_Accumulate(&many, 1, MPI_DOUBLE, 2, place, 1, MPI_DOUBLE, MPI_SUM, win)

/* Orders nothing. */
static void wait_for_time(void) {
  const double until = MPI_Wtime() + 0.2;
  while (MPI_Wtime() < until) {
  }
}

/* Each on elements of its own. */
static void begin(void) {
  place += 2;
  meet();
}
static void fences(void) {
  begin();
  MPI_Win_fence(0, win);
  if (rank == 0) PUT; /* fence 0 */
  if (is_right)
    MPI_Win_fence(0, win);
  else
    meet();
  if (rank == 1) PUT; /* fence 1 */
  MPI_Win_fence(0, win);
}
static void fences_of_a_get(void) {
  begin();
  MPI_Win_fence(0, win);
  if (rank == 3) GET; /* get 3 */
  if (is_right)
    MPI_Win_fence(0, win);
  else
    meet();
  if (rank == 0) PUT; /* get 0 */
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}
/* The owner comes after a rank of another node, which has not flushed. */
static void flushes(int second) {
  begin();
  MPI_Win_lock_all(0, win);
  if (rank == 0) PUT; /* flush 0 */
  if (rank == 0 && is_right) MPI_Win_flush(2, win);
  meet();
  if (rank == second) GET; /* flush get */
  MPI_Win_unlock_all(win);
}
static void twice(void) {
  begin();
  MPI_Win_lock_all(0, win);
  if (rank == 1) PUT; /* twice first */
  if (rank == 1 && is_right) MPI_Win_flush_all(win);
  if (rank == 1) PUT; /* twice again */
  MPI_Win_unlock_all(win);
}
static void types(void) {
  begin();
  MPI_Win_lock_all(0, win);
  if (rank == 0) ADD; /* types 0 */
  meet();
  if (rank == 3) is_right ? ADD : ADD_DOUBLE; /* types 3 */
  MPI_Win_unlock_all(win);
}
static void locks(void) {
  const int kind = is_right ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
  begin();
  for (int i = 0; i < (is_right ? 20 : 1); ++i) {
    MPI_Win_lock(kind, 2, 0, win);
    if (rank == 0) PUT; /* locks 0 */
    MPI_Win_unlock(2, win);
    if (!is_right) wait_for_time();
    MPI_Win_lock(kind, 2, 0, win);
    if (rank == 3) PUT; /* locks 3 */
    MPI_Win_unlock(2, win);
  }
}
/* Both are in one exposure; the owner's own get comes after both. */
static void exposures(void) {
  begin();
  if (rank == 2) MPI_Win_post(origins, 0, win);
  if (rank < 2) MPI_Win_start(target, 0, win);
  if (rank == 0) PUT; /* exposure 0 */
  meet();
  if (rank == 1 && is_right) MPI_Put(&one, 1, MPI_INT, 2, place + 1, 1, MPI_INT, win);
  if (rank == 1 && !is_right) PUT; /* exposure 1 */
  if (rank < 2) MPI_Win_complete(win);
  if (rank == 2) MPI_Win_wait(win);
  if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
    MPI_Get(got, 2, MPI_INT, 2, place, 2, MPI_INT, win);
    MPI_Win_unlock(2, win);
  }
  meet();
}
/* Messages from another node tell of all that was complete; by a rank of a third. */
static void messages(void) {
  begin();
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    PUT;
    MPI_Win_flush(2, win);
    MPI_Send(&one, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
  } else if (rank == 3) {
    MPI_Recv(got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PUT;
    MPI_Win_flush(2, win);
    MPI_Send(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(got, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    GET;
  }
  MPI_Win_unlock_all(win);
}
/* A flag that is set after a flush, and seen. */
static void flags(void) {
  int seen = 0, zero = 0;
  begin();
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    PUT;
    MPI_Win_flush(2, win);
    MPI_Fetch_and_op(&one, &seen, MPI_INT, 2, place + 1, MPI_SUM, win);
    MPI_Win_flush(2, win);
  }
  while (rank == 1 && seen == 0) {
    MPI_Fetch_and_op(&zero, &seen, MPI_INT, 2, place + 1, MPI_NO_OP, win);
    MPI_Win_flush(2, win);
  }
  if (rank == 1) PUT;
  MPI_Win_unlock_all(win);
}

int main(int argc, char** argv) {
  const char* number = getenv("OMPI_COMM_WORLD_RANK");
  const int ranks[] = {0, 1, 2};
  int* mine;
  if (number == NULL) number = getenv("PMI_RANK");
  setenv("ORIEL_NODE_ID", number != NULL && atoi(number) < 2 ? "first" : "second", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  is_right = argc > 1 && strcmp(argv[1], "right") == 0;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 2, ranks, &origins);
  MPI_Group_incl(all, 1, ranks + 2, &target);
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  fences();
  fences_of_a_get();
  flushes(2);
  flushes(3);
  twice();
  types();
  exposures();
  locks();
  if (is_right) {
    messages();
    flags();
  }
  MPI_Win_free(&win);
  MPI_Group_free(&all);
  MPI_Group_free(&origins);
  MPI_Group_free(&target);
  if (rank == 0) puts("went on");
  MPI_Finalize();
  return 0;
}
