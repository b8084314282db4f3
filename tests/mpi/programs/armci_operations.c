/* ARMCI's operations over MPI windows, each against what this process computes itself: contiguous,
 * strided and vector transfers, scaled accumulates of every type, read-modify-write, mutexes and
 * fences. */
#include <armci.h>
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { columns = 48, rows = 32, elements = columns * rows, rounds = 200 };

static int me, size;

static void expect(int right, const char* what, int index) {
  if (right) return;
  printf("armci: wrong on rank %d: %s [%d]\n", me, what, index);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* What rank writes at an index, so that every element of every rank differs. */
static double mark(int rank, int index) {
  return 1000.0 * rank + index + 0.5;
}

static void contiguous(double** memory) {
  const int next = (me + 1) % size, before = (me + size - 1) % size;
  double* line = ARMCI_Malloc_local(elements * sizeof(double));
  for (int i = 0; i < elements; ++i) line[i] = mark(me, i);
  ARMCI_Put(line, memory[next], elements * sizeof(double), next);
  ARMCI_Fence(next);
  ARMCI_Barrier();
  ARMCI_Access_begin(memory[me]);
  for (int i = 0; i < elements; ++i) expect(memory[me][i] == mark(before, i), "put", i);
  ARMCI_Access_end(memory[me]);
  memset(line, 0, elements * sizeof(double));
  ARMCI_Get(memory[next] + 7, line, 90 * sizeof(double), next);
  for (int i = 0; i < 90; ++i) expect(line[i] == mark(me, i + 7), "get", i);

  /* An operation that does not wait, and a single value. */
  armci_hdl_t handle;
  ARMCI_INIT_HANDLE(&handle);
  ARMCI_NbGet(memory[next] + 1, line, sizeof(double), next, &handle);
  ARMCI_Wait(&handle);
  expect(line[0] == mark(me, 1), "nonblocking get", 0);
  expect(ARMCI_GetValueDouble(memory[next] + 2, next) == mark(me, 2), "get of a value", 0);
  ARMCI_Barrier();
  ARMCI_Free_local(line);
}

/* A tile of one plane onto a tile of another, and back, and added twice with a factor. */
static void strided(double** memory) {
  enum { tile_columns = 11, tile_rows = 9, from = 5 * columns + 4, to = 13 * columns + 21 };
  const int next = (me + 1) % size, before = (me + size - 1) % size;
  int stride[1] = {columns * sizeof(double)};
  int count[2] = {tile_columns * sizeof(double), tile_rows};
  double* plane = ARMCI_Malloc_local(elements * sizeof(double));
  double factor = 0.25;

  for (int i = 0; i < elements; ++i) plane[i] = mark(me, i);
  ARMCI_Access_begin(memory[me]);
  for (int i = 0; i < elements; ++i) memory[me][i] = -1;
  ARMCI_Access_end(memory[me]);
  ARMCI_Barrier();
  ARMCI_PutS(plane + from, stride, memory[next] + to, stride, count, 1, next);
  ARMCI_AccS(ARMCI_ACC_DBL, &factor, plane + from, stride, memory[next] + to, stride, count, 1,
             next);
  ARMCI_AccS(ARMCI_ACC_DBL, &factor, plane + from, stride, memory[next] + to, stride, count, 1,
             next);
  ARMCI_AllFence();
  ARMCI_Barrier();
  ARMCI_Access_begin(memory[me]);
  for (int i = 0; i < elements; ++i) {
    const int row = (i - to) / columns, column = (i - to) % columns;
    const int inside = i >= to && row < tile_rows && column < tile_columns;
    const double value = inside ? 1.5 * mark(before, from + row * columns + column) : -1;
    expect(memory[me][i] == value, "strided put and accumulate", i);
  }
  ARMCI_Access_end(memory[me]);
  memset(plane, 0, elements * sizeof(double));
  ARMCI_GetS(memory[next] + to, stride, plane, stride, count, 1, next);
  for (int row = 0; row < tile_rows; ++row) {
    for (int column = 0; column < tile_columns; ++column) {
      expect(plane[row * columns + column] == 1.5 * mark(me, from + row * columns + column),
             "strided get", row);
    }
  }
  ARMCI_Barrier();
  ARMCI_Free_local(plane);
}

/* Scattered segments of a few elements each. */
static void vector(double** memory) {
  enum { segments = 10, each = 3 };
  const int next = (me + 1) % size, before = (me + size - 1) % size;
  double* line = ARMCI_Malloc_local(segments * each * sizeof(double));
  void *sources[segments], *targets[segments];
  armci_giov_t list = {sources, targets, each * sizeof(double), segments};

  for (int i = 0; i < segments * each; ++i) line[i] = mark(me, i);
  for (int i = 0; i < segments; ++i) {
    sources[i] = line + each * i;
    targets[i] = memory[next] + (i * 37) % 300 + 2;
  }
  ARMCI_PutV(&list, 1, next);
  ARMCI_Fence(next);
  ARMCI_Barrier();
  ARMCI_Access_begin(memory[me]);
  for (int i = 0; i < segments * each; ++i) {
    expect(memory[me][(i / each * 37) % 300 + 2 + i % each] == mark(before, i), "vector put", i);
  }
  ARMCI_Access_end(memory[me]);
  ARMCI_Barrier();
  double factor = 2;
  ARMCI_AccV(ARMCI_ACC_DBL, &factor, &list, 1, next);
  ARMCI_Fence(next);
  ARMCI_Barrier();
  memset(line, 0, segments * each * sizeof(double));
  for (int i = 0; i < segments; ++i) {
    sources[i] = memory[next] + (i * 37) % 300 + 2;
    targets[i] = line + each * i;
  }
  ARMCI_GetV(&list, 1, next);
  for (int i = 0; i < segments * each; ++i)
    expect(line[i] == 3 * mark(me, i), "vector accumulate and get", i);
  ARMCI_Barrier();
  ARMCI_Free_local(line);
}

/* Every rank adds to rank 0 at the same time, in each type; sums are exact in all of them. */
#define ADD_FROM_ALL(kind, type, name)                                                           \
  do {                                                                                           \
    type *here = ARMCI_Malloc_local(8 * sizeof(type)), factor = 3;                               \
    for (int i = 0; i < 8; ++i) here[i] = (type)(i + 1);                                         \
    if (me == 0) {                                                                               \
      ARMCI_Access_begin(memory[0]);                                                             \
      memset(memory[0], 0, 8 * sizeof(type));                                                    \
      ARMCI_Access_end(memory[0]);                                                               \
    }                                                                                            \
    ARMCI_Barrier();                                                                             \
    for (int i = 0; i < rounds; ++i)                                                             \
      ARMCI_Acc(kind, &factor, here, memory[0], 8 * sizeof(type), 0);                            \
    ARMCI_AllFence();                                                                            \
    ARMCI_Barrier();                                                                             \
    ARMCI_Get(memory[0], here, 8 * sizeof(type), 0);                                             \
    for (int i = 0; i < 8; ++i) expect(here[i] == (type)(3 * (i + 1) * rounds * size), name, i); \
    ARMCI_Barrier();                                                                             \
    ARMCI_Free_local(here);                                                                      \
  } while (0)

static void accumulates(double** memory) {
  ADD_FROM_ALL(ARMCI_ACC_INT, int, "accumulate of int");
  ADD_FROM_ALL(ARMCI_ACC_LNG, long, "accumulate of long");
  ADD_FROM_ALL(ARMCI_ACC_FLT, float, "accumulate of float");
  ADD_FROM_ALL(ARMCI_ACC_DBL, double, "accumulate of double");
  ADD_FROM_ALL(ARMCI_ACC_CPL, float complex, "accumulate of complex");
  ADD_FROM_ALL(ARMCI_ACC_DCP, double complex, "accumulate of double complex");
}

/* Tickets are drawn once each; a swap hands round a token; a mutex guards what is read and written
 * apart. */
static void exclusion(void) {
  long** counters = malloc(size * sizeof(long*));
  ARMCI_Malloc((void**)counters, 4 * sizeof(long));
  ARMCI_Access_begin(counters[me]);
  memset(counters[me], 0, 4 * sizeof(long));
  ARMCI_Access_end(counters[me]);
  ARMCI_Barrier();
  long last = -1, drawn;
  for (int i = 0; i < rounds; ++i) {
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &drawn, counters[size - 1], 1, size - 1);
    expect(drawn > last && drawn < (long)rounds * size, "a ticket", i);
    last = drawn;
  }
  int small;
  ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &small, counters[0] + 2, 5, 0);
  ARMCI_Barrier();
  expect(ARMCI_GetValueLong(counters[size - 1], size - 1) == (long)rounds * size, "tickets", 0);
  expect(ARMCI_GetValueInt(counters[0] + 2, 0) == 5 * size, "fetch and add of int", 0);

  long token = me + 1;
  ARMCI_Rmw(ARMCI_SWAP_LONG, &token, counters[0] + 3, 0, 0);
  long found = token, sum;
  MPI_Allreduce(&found, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  sum += ARMCI_GetValueLong(counters[0] + 3, 0);
  expect(sum == (long)size * (size + 1) / 2, "swaps", 0);

  ARMCI_Create_mutexes(2);
  for (int i = 0; i < rounds / 4; ++i) {
    ARMCI_Lock(1, size - 1);
    ARMCI_PutValueLong(ARMCI_GetValueLong(counters[0] + 1, 0) + 1, counters[0] + 1, 0);
    ARMCI_Fence(0);
    ARMCI_Unlock(1, size - 1);
  }
  ARMCI_Barrier();
  expect(ARMCI_GetValueLong(counters[0] + 1, 0) == (long)(rounds / 4) * size, "mutex", 0);
  ARMCI_Barrier();
  ARMCI_Destroy_mutexes();
  ARMCI_Free(counters[me]);
  free(counters);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  ARMCI_Init();
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double** memory = malloc(size * sizeof(double*));
  ARMCI_Malloc((void**)memory, elements * sizeof(double));
  contiguous(memory);
  strided(memory);
  vector(memory);
  accumulates(memory);
  exclusion();
  ARMCI_Barrier();
  ARMCI_Free(memory[me]);
  free(memory);
  if (me == 0) printf("armci: right on %d ranks\n", size);
  ARMCI_Finalize();
  MPI_Finalize();
  return 0;
}
