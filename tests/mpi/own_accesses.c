/* What own_accesses.sh starts, built with -fsanitize=thread: ranks use each other's memory and
 * their own; own_accesses wrong|wrong_too|right. Errors are returned. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Win win;
static int *mine, rank;

/* Long after what the other rank did, by a clock that orders nothing. */
static void much_later(void) {
  const double until = MPI_Wtime() + 0.3;
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

/* Memory that is attached, what the C library and messages access, and buffers. */
static void wrong_too(void) {
  static int attached[64];
  int *freed = malloc(64 * sizeof(int)), results[2] = {0, 0}, copies[64] = {0};
  MPI_Win dynamic;
  MPI_Aint at;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  MPI_Win_attach(dynamic, attached, sizeof attached);
  MPI_Get_address(attached, &at);
  MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  MPI_Win_lock_all(0, dynamic);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    memset(freed, 0, 64 * sizeof(int));
    MPI_Put(results, 1, MPI_INT, 1, at + 16, 1, MPI_INT, dynamic); /* line 52 */
    MPI_Put(copies, 64, MPI_INT, 1, 64, 64, MPI_INT, win);         /* line 53 */
    MPI_Put(results, 1, MPI_INT, 1, 8, 1, MPI_INT, win);           /* line 54 */
    MPI_Win_flush_all(win);
    MPI_Win_flush_all(dynamic);
    MPI_Put(freed, 64, MPI_INT, 1, 256, 64, MPI_INT, win); /* line 57 */
    free(freed);
    MPI_Get_accumulate(results, 2, MPI_INT, results, 2, MPI_INT, 1, 10, /* line 59 */
                       2, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(1, win);
  } else {
    much_later();
    attached[4] = 9;                             /* line 64 */
    memcpy(copies, mine + 64, 64 * sizeof(int)); /* line 65 */
    MPI_Sendrecv(copies, 1, MPI_INT, 1, 0, mine + 8, 1, MPI_INT, 1, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE); /* line 67 */
    free(freed);
  }
  MPI_Win_unlock_all(dynamic);
  MPI_Win_unlock_all(win);
  MPI_Win_detach(dynamic, attached);
  MPI_Win_free(&dynamic);
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

/* The same memory as in wrong_too, in order. */
static void right_too(void) {
  static int attached[64];
  int *freed = malloc(64 * sizeof(int)), results[4] = {0, 0, 0, 0}, copies[64] = {0};
  MPI_Win dynamic;
  MPI_Aint at;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
  for (int i = 0; i < 3; ++i) {
    memset(attached, 0, sizeof attached);
    MPI_Win_attach(dynamic, attached, sizeof attached);
    MPI_Get_address(attached, &at);
    MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, dynamic);
    if (rank == 0) {
      memset(freed, 0, 64 * sizeof(int));
      MPI_Put(freed, 64, MPI_INT, 1, 64, 64, MPI_INT, win);
      MPI_Put(copies, 1, MPI_INT, 1, at + 16, 1, MPI_INT, dynamic);
      MPI_Get_accumulate(results, 2, MPI_INT, results + 2, 2, MPI_INT, 1, 10, 2, MPI_INT, MPI_SUM,
                         win);
      MPI_Get_accumulate(results, 2, MPI_INT, copies + 8, 2, MPI_INT, 1, 10, 2, MPI_INT, MPI_NO_OP,
                         win);
    } else {
      attached[5] = 9;
      memcpy(copies, mine, 10 * sizeof(int));
    }
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, dynamic);
    if (rank == 1) {
      attached[4] = 9;
      memcpy(copies, mine + 64, 64 * sizeof(int));
    }
    free(freed);
    freed = malloc(64 * sizeof(int));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Send(results, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(mine + 64, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_detach(dynamic, attached);
    attached[4] = 1;
  }
  free(freed);
  MPI_Win_free(&dynamic);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(2048, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  memset(mine, 0, 2048);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "wrong") == 0)
    wrong();
  else if (strcmp(argv[1], "wrong_too") == 0)
    wrong_too();
  else {
    right();
    right_too();
  }
  MPI_Win_free(&win);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
