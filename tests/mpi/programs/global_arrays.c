/* Global Arrays over ARMCI over MPI windows: tiles put, got and accumulated across owners, a shared
 * counter that deals out tasks, scatter and gather, and a matrix product, each against the same
 * done by one process. */
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { order = 70, tile = 9 };

static int me, size;

static void expect(int right, const char* what, int index) {
  if (right) return;
  printf("global arrays: wrong on rank %d: %s [%d]\n", me, what, index);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double left(int i, int j) {
  return (i * 7 + j * 3) % 11 - 5;
}
static double right(int i, int j) {
  return (i * 5 + j * 13) % 17 - 8;
}

static int make(char* name, double (*value)(int, int)) {
  int dims[2] = {order, order}, chunk[2] = {-1, -1};
  const int array = NGA_Create(C_DBL, 2, dims, name, chunk);
  double zero = 0;
  GA_Fill(array, &zero);
  if (value == NULL) return array;
  /* Rank r puts the rows that follow in turn, whoever owns them. */
  double row[order];
  for (int i = me; i < order; i += size) {
    int low[2] = {i, 0}, high[2] = {i, order - 1}, leading[1] = {order};
    for (int j = 0; j < order; ++j) row[j] = value(i, j);
    NGA_Put(array, low, high, row, leading);
  }
  GA_Sync();
  return array;
}

/* Tiles that straddle owners, dealt out by a shared counter, are added by whoever draws them: each
 * twice. */
static void tiles(void) {
  int one[1] = {1}, first[1] = {0}, leading[1] = {tile};
  const int array = make("tiles", NULL);
  int counter = NGA_Create(C_LONG, 1, one, "counter", NULL);
  GA_Zero(counter);
  const int across = (order + tile - 1) / tile;
  double block[tile * tile], factor = 0.5;
  long drawn = 0, task, all;
  while ((task = NGA_Read_inc(counter, first, 1)) < 2L * across * across) {
    const int i = (int)(task / 2) / across * tile, j = (int)(task / 2) % across * tile;
    int low[2] = {i, j};
    int high[2] = {i + tile <= order ? i + tile - 1 : order - 1,
                   j + tile <= order ? j + tile - 1 : order - 1};
    for (int k = 0; k < tile * tile; ++k) block[k] = left(i + k / tile, j + k % tile);
    NGA_Acc(array, low, high, block, leading, &factor);
    ++drawn;
  }
  MPI_Allreduce(&drawn, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  expect(all == 2L * across * across, "tasks", (int)all);
  GA_Sync();
  int low[2] = {3, 5}, high[2] = {order - 2, order - 4}, wide[1] = {order};
  double* plane = malloc(order * order * sizeof(double));
  NGA_Get(array, low, high, plane, wide);
  for (int i = 3; i <= order - 2; ++i) {
    for (int j = 5; j <= order - 4; ++j) {
      expect(plane[(i - 3) * order + j - 5] == left(i, j), "accumulated tile", i * order + j);
    }
  }
  free(plane);
  GA_Sync();
  GA_Destroy(counter);
  GA_Destroy(array);
}

static void scattered(void) {
  enum { points = 40 };
  const int array = make("scattered", NULL);
  double values[points];
  int places[points][2], *subscripts[points];
  for (int k = 0; k < points; ++k) {
    places[k][0] = (k * 29 + me) % order;
    places[k][1] = (k * 31 + me * size) % order;
    subscripts[k] = places[k];
    values[k] = places[k][0] * 100 + places[k][1]; /* equal from whoever writes it */
  }
  NGA_Scatter(array, values, subscripts, points);
  GA_Sync();
  memset(values, 0, sizeof values);
  for (int k = 0; k < points; ++k) {
    places[k][0] = (k * 29 + (me + 1) % size) % order;
    places[k][1] = (k * 31 + (me + 1) % size * size) % order;
  }
  NGA_Gather(array, values, subscripts, points);
  for (int k = 0; k < points; ++k)
    expect(values[k] == places[k][0] * 100 + places[k][1], "gather", k);
  GA_Sync();
  GA_Destroy(array);
}

static void product(void) {
  const int a = make("a", left), b = make("b", right), c = make("c", NULL);
  GA_Dgemm('n', 't', order, order, order, 2.0, a, b, 0.0, c);
  double* got = malloc(order * order * sizeof(double));
  int low[2] = {0, 0}, high[2] = {order - 1, order - 1}, leading[1] = {order};
  NGA_Get(c, low, high, got, leading);
  for (int i = 0; i < order; ++i) {
    for (int j = 0; j < order; ++j) {
      double sum = 0;
      for (int k = 0; k < order; ++k) sum += left(i, k) * right(j, k);
      expect(fabs(got[i * order + j] - 2 * sum) < 1e-9, "product", i * order + j);
    }
  }
  const double dot = GA_Ddot(a, b);
  double sum = 0;
  for (int i = 0; i < order; ++i) {
    for (int j = 0; j < order; ++j) sum += left(i, j) * right(i, j);
  }
  expect(fabs(dot - sum) < 1e-9, "dot", 0);
  GA_Sync();
  free(got);
  GA_Destroy(c);
  GA_Destroy(b);
  GA_Destroy(a);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  GA_Initialize();
  MA_init(C_DBL, 200000, 200000);
  me = GA_Nodeid();
  size = GA_Nnodes();
  tiles();
  scattered();
  product();
  if (me == 0) printf("global arrays: right on %d ranks\n", size);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
