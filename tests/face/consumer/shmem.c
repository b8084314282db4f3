// Somebody else's OpenSHMEM program.
#include <shmem.h>

static long from_previous = -1;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  long* const in_heap = shmem_calloc(1, sizeof *in_heap);
  shmem_long_p(&from_previous, me, (me + 1) % pes);
  shmem_long_p(in_heap, me, (me + 1) % pes);
  shmem_barrier_all();
  const long previous = (me + pes - 1) % pes;
  const int right = from_previous == previous && *in_heap == previous;
  shmem_free(in_heap);
  shmem_finalize();
  return right ? 0 : 1;
}
