/* What page_accesses.sh starts, an ordinary program: page_accesses wrong|right|crash. Rank 0 puts
 * to rank 1 and gets from it, and both use the memory by loads and stores. Errors are returned, and
 * the program goes on. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { elements = 1 << 15, bytes = elements * sizeof(int) };
static MPI_Win win;
static int *mine, rank, elements_put = 12345, process[2];
static sigset_t told;

/* Once the other rank has done its part: a signal orders nothing. */
static void much_later(void) {
  const struct timespec at_most = {20, 0};
  sigtimedwait(&told, NULL, &at_most);
}

static void wrong(void) {
  static int source = 1, result = 0, other = 0;
  int i;
  MPI_Win_lock_all(0, win);
  for (i = 0; i < 100; ++i) mine[4096 + i] = i;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Put(&source, 1, MPI_INT, 1, 0, 1, MPI_INT, win);   /* line 29 */
    source = 2;                                            /* line 30 */
    MPI_Get(&result, 1, MPI_INT, 1, 1, 1, MPI_INT, win);   /* line 31 */
    other = result;                                        /* line 32 */
    MPI_Put(&other, 1, MPI_INT, 1, 4099, 1, MPI_INT, win); /* line 33 */
    MPI_Win_flush(1, win);
    kill(process[1], SIGUSR1);
  } else {
    much_later();
    other = mine[0]; /* line 38 */
    other = mine[2];
    mine[1] = other;    /* line 40 */
    mine[4099] = other; /* line 41: among many before the barrier */
  }
  MPI_Win_unlock_all(win);
}

static void fill(int value) {
  int i;
  for (i = 0; i < elements; ++i) mine[i] = value + i;
}
static void expect(int value, const char* where) {
  int i;
  for (i = 0; i < elements; ++i)
    if (mine[i] != value + i) {
      printf("wrong element %d: %s\n", i, where);
      exit(1);
    }
}

/* All that may be done to a window's memory by others than operations. */
static void right(void) {
  static int source = 1, result = 0, other = 0;
  MPI_Request request;
  MPI_Win again;
  MPI_Aint size;
  int unit, *first, found;
  fill(1);
  MPI_Win_lock_all(0, win);
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
    MPI_Send(mine, elements, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(mine, elements, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(7, "received");
  } else {
    other = mine[1] + mine[2];
    MPI_Recv(mine, elements, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(1, "received");
    fill(7);
    MPI_Send(mine, elements, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);

  /* Buffers of operations in the window's own memory; the C library there. */
  MPI_Win_fence(0, win);
  MPI_Put(mine, elements / 2, MPI_INT, 1 - rank, elements / 2, elements / 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (mine[elements / 2 + 1] != mine[1]) printf("not put\n");
  memset(mine, 0, bytes);
  strcpy((char*)mine, "text in a window");
  if (strlen((char*)mine) != 16) printf("no text\n");

  /* The same memory from rank 1, and as another window. */
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_get_attr(win, MPI_WIN_BASE, &first, &found);
  if (first != mine) printf("another base\n");
  MPI_Win_shared_query(win, 0, &size, &unit, &first);
  if (strcmp((char*)first, "text in a window") != 0) printf("no text of rank 0\n");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_create(mine, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &again);
  MPI_Win_fence(0, again);
  MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, again);
  MPI_Win_fence(0, again);
  if (mine[0] != 1 - rank) printf("not put by the other window\n");
  MPI_Win_free(&again);

  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &again);
  MPI_Win_attach(again, mine, bytes);
  MPI_Get_address(mine, &size);
  MPI_Sendrecv_replace(&size, 1, MPI_AINT, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
  MPI_Win_fence(0, again);
  MPI_Put(&elements_put, 1, MPI_INT, 1 - rank, size, 1, MPI_INT, again);
  MPI_Win_fence(0, again);
  if (mine[0] != elements_put) printf("not put to what is attached\n");
  MPI_Win_detach(again, mine);
  MPI_Win_free(&again);
}

/* The program's own handler. */
static void on_fault(int signal) {
  static const char text[] = "caught by the program\n";
  (void)signal;
  _exit(write(1, text, sizeof text - 1) < 0 ? 4 : 3);
}

int main(int argc, char** argv) {
  if (strcmp(argv[1], "crash") == 0) signal(SIGSEGV, on_fault);
  sigemptyset(&told);
  sigaddset(&told, SIGUSR1);
  sigprocmask(SIG_BLOCK, &told, NULL);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  process[rank] = getpid();
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, process, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  memset(mine, 0, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[1], "wrong") == 0) wrong();
  if (strcmp(argv[1], "right") == 0) right();
  if (strcmp(argv[1], "crash") == 0) *(volatile int*)(void*)(size_t)rank = 1;
  MPI_Win_free(&win);
  if (rank == 0) printf("went on\n");
  MPI_Finalize();
  return 0;
}
