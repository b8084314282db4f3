// Locks: what they guard is changed by plain gets and puts, of which some would be lost without
// them.
#include "tests/shmem/check.h"

enum { times = 50 };

static void add_one(long* counter, int pe) {
  const long before = shmem_long_g(counter, pe);
  shmem_long_p(counter, before + 1, pe);
}

static void test_lock(const struct world* w, long* lock, long* counter) {
  *counter = 0;
  shmem_barrier_all();
  for (int i = 0; i < times; ++i) {
    shmem_set_lock(lock);
    add_one(counter, w->pes - 1);
    shmem_clear_lock(lock);
  }
  for (int i = 0; i < times; ++i) {
    while (shmem_test_lock(lock) != 0) {
    }
    add_one(counter, w->pes - 1);
    shmem_clear_lock(lock);
  }
  shmem_barrier_all();
  CHECK(shmem_long_g(counter, w->pes - 1) == 2l * times * w->pes);
  CHECK(*lock == 0);
  shmem_barrier_all();

  // Who has it, and who has not.
  if (w->me == 0) CHECK(shmem_test_lock(lock) == 0);
  shmem_barrier_all();
  if (w->me != 0) CHECK(shmem_test_lock(lock) == 1);
  shmem_barrier_all();
  if (w->me == 0) shmem_clear_lock(lock);
  shmem_barrier_all();
  if (w->me == w->pes - 1) CHECK(shmem_test_lock(lock) == 0);
  shmem_barrier_all();
  if (w->me == w->pes - 1) shmem_clear_lock(lock);
  shmem_barrier_all();
  CHECK(*lock == 0);
}

static long lock_in_statics, counter_in_statics;

void test_locks(const struct world* w) {
  long* const in_heap = shmem_calloc(2, sizeof *in_heap);
  test_lock(w, in_heap, in_heap + 1);
  test_lock(w, &lock_in_statics, &counter_in_statics);
  shmem_free(in_heap);
}
