/* What reported_calls.sh starts: rank 0 misuses a window and goes on, since errors are returned. */
#include <mpi.h>
#include <stdio.h>

/* What is not there yet, and what may change as it is sent. Who receives has begun the first. */
static void send_too_early(int* mine, MPI_Win win) {
  char room[MPI_BSEND_OVERHEAD + sizeof(int)];
  static int got;
  int size = sizeof room;
  void* detached = NULL;
  MPI_Buffer_attach(room, size);
  MPI_Get(&got, 1, MPI_INT, 1, 8, 1, MPI_INT, win); /* line 12 */
  MPI_Rsend(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Send(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Ssend(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Bsend(&got, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  MPI_Sendrecv(&got, 1, MPI_INT, 1, 1, NULL, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE); /* line 18 */
  MPI_Send(&got, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
  MPI_Send(mine + 9, 1, MPI_INT, 1, 1, MPI_COMM_WORLD); /* line 20 */
  MPI_Buffer_detach(&detached, &size);
}

int main(int argc, char** argv) {
  int rank = 0, one = 1, two = 2, received = 0, i, *base = NULL;
  MPI_Win win;
  MPI_Request first;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  for (i = 0; rank == 0 && i < 3; ++i) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* no epoch: line 33 */
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);                 /* overlapped: line 35 */
    MPI_Accumulate(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win); /* line 36 */
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);                         /* twice: line 37 */
    MPI_Win_unlock(1, win);
  }
  /* One rank adds where the other multiplies; what one rank does is in order. */
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 0) {
    MPI_Accumulate(&two, 1, MPI_INT, 1, 4, 1, MPI_INT, MPI_SUM, win); /* line 43 */
    MPI_Accumulate(&two, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Accumulate(&two, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, win);
  } else {
    MPI_Accumulate(&two, 1, MPI_INT, 1, 4, 1, MPI_INT, MPI_PROD, win); /* line 47 */
  }
  MPI_Win_unlock(1, win);
  MPI_Win_lock_all(0, win);
  if (rank == 1) MPI_Put(&one, 1, MPI_INT, 0, 9, 1, MPI_INT, win); /* line 51 */
  if (rank == 1) MPI_Irecv(&received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &first);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) send_too_early(base, win);
  for (i = 0; rank == 1 && i < 5; ++i)
    MPI_Recv(&two, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Wait(&first, MPI_STATUS_IGNORE);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
