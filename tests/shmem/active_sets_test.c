// Collectives of active sets: of all PEs, and of every second one from 1 on, in the heap and in
// static variables, with few and with many elements, in turn on one pSync.
#include <string.h>

#include "tests/shmem/check.h"

enum { few = 3, many = 3000, most_pes = 8 };

struct set {
  int start, log_stride, size;
  int me;  // this PE's place
  long* sync;
};
#define SET(S) (S)->start, (S)->log_stride, (S)->size

static long value(int place, int to, int i) {
  return 1 + (place * 31 + to * 7 + i) % 100;
}

#define TEST_SIZE(BITS)                                                                      \
  static void test_moving##BITS(const struct set* s, void* dest_memory, void* source_memory, \
                                int n) {                                                     \
    int##BITS##_t *const dest = dest_memory, *const source = source_memory;                  \
    const int root = s->size - 1, all = n * s->size;                                         \
    const size_t size = (size_t)n;                                                           \
    for (int i = 0; i < all; ++i) source[i] = (int##BITS##_t)value(s->me, i / n, i % n);     \
    for (int i = 0; i <= all; ++i) dest[i] = -1;                                             \
    shmem_barrier(SET(s), s->sync);                                                          \
    shmem_broadcast##BITS(dest, source, size, root, SET(s), s->sync);                        \
    for (int i = 0; i < n; ++i) CHECK(dest[i] == (s->me == root ? -1 : value(root, 0, i)));  \
    CHECK(dest[n] == -1);                                                                    \
    shmem_sync(SET(s), s->sync);                                                             \
    shmem_fcollect##BITS(dest, source, size, SET(s), s->sync);                               \
    for (int i = 0; i < all; ++i) CHECK(dest[i] == value(i / n, 0, i % n));                  \
    shmem_alltoall##BITS(dest, source, size, SET(s), s->sync);                               \
    for (int i = 0; i < all; ++i) CHECK(dest[i] == value(i / n, s->me, i % n));              \
    CHECK(dest[all] == -1);                                                                  \
    for (int i = 0; i <= all; ++i) dest[i] = -1;                                             \
    /* The first gives none, the next one, and so on in turn. */                             \
    shmem_collect##BITS(dest, source, (size_t)(s->me % (n + 1)), SET(s), s->sync);           \
    int at = 0;                                                                              \
    for (int place = 0; place < s->size; ++place)                                            \
      for (int i = 0; i < place % (n + 1); ++i) CHECK(dest[at++] == value(place, 0, i));     \
    CHECK(dest[at] == -1);                                                                   \
    shmem_alltoalls##BITS(dest, source, 2, 1, size / 2, SET(s), s->sync);                    \
    for (int i = 0; i < n / 2 * s->size; ++i) {                                              \
      const int there = s->me * (n / 2) + i % (n / 2);                                       \
      CHECK(dest[2 * i] == value(i / (n / 2), there / n, there % n));                        \
    }                                                                                        \
    for (int i = 0; i < s->size * n; ++i) source[i] = dest[i] = 0;                           \
    shmem_barrier(SET(s), s->sync);                                                          \
  }
TEST_SIZE(32)
TEST_SIZE(64)

#define TEST_REDUCTION(NAME, TYPE)                                                              \
  static void test_##NAME(const struct set* s, void* dest_memory, void* source_memory, int n) { \
    TYPE *const dest = dest_memory, *const source = source_memory;                              \
    TYPE work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];                                                   \
    const int last = s->size - 1;                                                               \
    for (int i = 0; i < n; ++i) source[i] = (TYPE)(s->me + 1 + i % 3);                          \
    for (int i = 0; i <= n; ++i) dest[i] = (TYPE)99;                                            \
    shmem_sync(SET(s), s->sync);                                                                \
    shmem_##NAME##_sum_to_all(dest, source, n, SET(s), work, s->sync);                          \
    for (int i = 0; i < n; ++i)                                                                 \
      CHECK(dest[i] == (TYPE)(s->size * (s->size + 1) / 2 + s->size * (i % 3)));                \
    shmem_##NAME##_max_to_all(dest, source, n, SET(s), work, s->sync);                          \
    for (int i = 0; i < n; ++i) CHECK(dest[i] == (TYPE)(last + 1 + i % 3));                     \
    shmem_##NAME##_min_to_all(dest, source, n, SET(s), work, s->sync);                          \
    for (int i = 0; i < n; ++i) CHECK(dest[i] == (TYPE)(1 + i % 3));                            \
    CHECK(dest[n] == (TYPE)99);                                                                 \
    for (int i = 0; i < n; ++i) source[i] = (TYPE)(i % 2 + 1);                                  \
    shmem_##NAME##_prod_to_all(source, source, n, SET(s), work, s->sync);                       \
    for (int i = 0; i < n; ++i) CHECK(source[i] == (TYPE)(i % 2 == 0 ? 1 : 1 << s->size));      \
    shmem_barrier(SET(s), s->sync);                                                             \
  }
TEST_REDUCTION(short, short)
TEST_REDUCTION(int, int)
TEST_REDUCTION(long, long)
TEST_REDUCTION(longlong, long long)
TEST_REDUCTION(float, float)
TEST_REDUCTION(double, double)
TEST_REDUCTION(longdouble, long double)

static void test_bits(const struct set* s, long* dest, long* source) {
  long work[SHMEM_REDUCE_MIN_WRKDATA_SIZE];
  const long all = (1l << s->size) - 1;
  source[0] = 1l << s->me;
  source[1] = all ^ 1l << s->me;
  shmem_long_or_to_all(dest, source, 2, SET(s), work, s->sync);
  CHECK(dest[0] == all && dest[1] == (s->size == 1 ? 0 : all));
  shmem_long_and_to_all(dest, source, 2, SET(s), work, s->sync);
  CHECK(dest[0] == (s->size == 1 ? 1 : 0) && dest[1] == 0);
  shmem_long_xor_to_all(dest, source, 1, SET(s), work, s->sync);
  CHECK(dest[0] == all);
  shmem_barrier(SET(s), s->sync);
}

static void test_set(const struct set* s, void* dest, void* source) {
  for (int n = few; n <= many; n += many - few) {
    test_moving32(s, dest, source, n);
    test_moving64(s, dest, source, n);
    test_short(s, dest, source, n);
    test_int(s, dest, source, n);
    test_long(s, dest, source, n);
    test_longlong(s, dest, source, n);
    test_float(s, dest, source, n);
    test_double(s, dest, source, n);
    test_longdouble(s, dest, source, n);
  }
  test_bits(s, dest, source);
}

static long syncs[3][SHMEM_SYNC_SIZE];
static long double dest_in_statics[most_pes * many + 1];
static long double source_in_statics[most_pes * many + 1];

// What a PE has put before shmem_barrier is there behind it.
static long arrived;
static void test_barrier_completes(const struct world* w) {
  for (long turn = 1; turn <= 50; ++turn) {
    shmem_long_put_nbi(&arrived, &turn, 1, w->next);
    shmem_barrier(0, 0, w->pes, syncs[2]);
    CHECK(arrived == turn);
    shmem_sync(0, 0, w->pes, syncs[2]);
  }
}

void test_active_sets(const struct world* w) {
  const size_t bytes = ((size_t)w->pes * many + 1) * sizeof(long double);
  void *const dest = shmem_malloc(bytes), *const source = shmem_malloc(bytes);
  const struct set all = {0, 0, w->pes, w->me, syncs[0]};
  test_set(&all, dest, source);
  if (w->pes <= most_pes) test_set(&all, dest_in_statics, source_in_statics);
  const struct set odd = {1, 1, w->pes / 2, w->me / 2, syncs[1]};
  if (w->me % 2 == 1) test_set(&odd, dest, source);
  shmem_barrier_all();
  test_barrier_completes(w);
  // No PE is in a next collective, which would have begun to signal.
  shmem_barrier_all();
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) CHECK(syncs[k][i] == SHMEM_SYNC_VALUE);
  shmem_pcontrol(1);
  shmem_clear_cache_inv();
  shmem_free(source);
  shmem_free(dest);
}
