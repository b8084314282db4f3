/* A window that says what it is used for: each rank asks rank 0's counter for the places of its
 * items in one shared array, and puts them there. mpiexec -n 4 oriel-mpi-<host>-allocate-new */
#include <oriel_mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void require(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "wrong: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  enum { items = 3 };
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  /* Element 0 of rank 0 counts; those after it hold the items. Fetch-and-add and single puts under
   * lock_all are all that is asked for. */
  const MPI_Aint count = me == 0 ? 1 + items * ranks : 0;
  long* mine;
  MPI_Win win;
  MPIX_Win_allocate_new(MPI_LONG, count, MPIX_WINDOW_SHARED_LOCK | MPIX_WINDOW_LOCAL_LOAD_STORE,
                        MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < items; ++i) {
    const long one = 1, item = 100 * me + i;
    long place;
    MPI_Fetch_and_op(&one, &place, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    MPI_Put(&item, 1, MPI_LONG, 0, 1 + place, 1, MPI_LONG, win);
    MPI_Win_flush_local(0, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);

  if (me == 0) {
    long sum = 0;
    require(mine[0] == items * ranks, "the number of items");
    for (int i = 1; i <= items * ranks; ++i) sum += mine[i];
    require(sum == 100L * items * ranks * (ranks - 1) / 2 + ranks * items * (items - 1) / 2,
            "the sum of the items");

    int segments, length;
    MPIX_Segment memory;
    MPIX_Win_segments(win, 0, 1, &memory, &segments);
    require(segments == 1 && memory.base == mine, "the memory of rank 0");
    printf("%d items in %ld bytes\n", items * ranks, (long)memory.size);
    MPIX_Win_explain(win, 0, NULL, &length);
    char* text = malloc((size_t)length + 1);
    MPIX_Win_explain(win, length + 1, text, &length);
    printf("%s\n", text);
    free(text);
  }
  MPI_Win_free(&win);

  /* The same on memory of the program's own. */
  int numbers[2] = {me, -1};
  MPIX_Win_create_new(MPI_INT, numbers, 2, MPIX_WINDOW_FENCE, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(&me, 1, MPI_INT, (me + 1) % ranks, 1, 1, MPI_INT, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  require(numbers[1] == (me + ranks - 1) % ranks, "what the rank before has put");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
