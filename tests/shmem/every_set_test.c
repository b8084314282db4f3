// Collectives of every active set of the job's PEs, one set after the other without anything
// between, so that sets overlap and PEs that are in none of two run ahead; each set's collectives
// on the same arrays again at once.
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <time.h>

#include "tests/shmem/check.h"

enum { few = 3, many = 700, most_pes = 8 };

struct set {
  int start;
  int log_stride;
  int size;
  int me;  // this PE's place in it
};

// Of each set one for barriers and one for all else: PEs that are in two sets use the next one's
// while others still are in the one before.
enum { most_sets = most_pes * most_pes * 4 };
static long p_syncs[most_sets][SHMEM_SYNC_SIZE], p_syncs_of_barriers[most_sets][SHMEM_SYNC_SIZE];
static long *p_sync = p_syncs[0], *p_sync_of_barrier = p_syncs_of_barriers[0];

static void use_p_sync_of(int start, int log_stride, int size) {
  const int set = ((size - 1) * 4 + log_stride) * most_pes + start;
  p_sync = p_syncs[set];
  p_sync_of_barrier = p_syncs_of_barriers[set];
}

static int in_world(const struct set* s, int place) {
  return s->start + (place << s->log_stride);
}

// What PE `place` of a set gives in step `step` for element i of those for PE `to`.
static int value(int step, int place, int to, int i) {
  return 1 + step * 10007 + place * 1009 + to * 101 + i;
}

// `to` and `from` have room for many * 2 * most_pes elements of 8 bytes.
#define TEST_MOVING(BITS)                                                                      \
  static void test_moving_##BITS(const struct set* s, int n, void* to, void* from) {           \
    uint##BITS##_t *const dest = to, *const source = from;                                     \
    const int pes = s->size, me = s->me;                                                       \
    const size_t count = (size_t)n;                                                            \
    int step = 0;                                                                              \
    for (int root = 0; root < pes; ++root, ++step) {                                           \
      for (int i = 0; i < n; ++i) source[i] = (uint##BITS##_t)value(step, me, 0, i);           \
      for (int i = 0; i <= n; ++i) dest[i] = 7;                                                \
      shmem_broadcast##BITS(dest, source, count, root, s->start, s->log_stride, pes, p_sync);  \
      int wrong = dest[n] != 7;                                                                \
      for (int i = 0; i < n; ++i)                                                              \
        wrong += dest[i] != (uint##BITS##_t)(me == root ? 7 : value(step, root, 0, i));        \
      CHECK(wrong == 0);                                                                       \
    }                                                                                          \
    for (int to_pe = 0; to_pe < pes; ++to_pe)                                                  \
      for (int i = 0; i < n; ++i)                                                              \
        source[to_pe * n + i] = (uint##BITS##_t)value(step, me, to_pe, i);                     \
    dest[n * pes] = 7;                                                                         \
    shmem_fcollect##BITS(dest, source, count, s->start, s->log_stride, pes, p_sync);           \
    int wrong = dest[n * pes] != 7;                                                            \
    for (int i = 0; i < n * pes; ++i)                                                          \
      wrong += dest[i] != (uint##BITS##_t)value(step, i / n, 0, i % n);                        \
    CHECK(wrong == 0);                                                                         \
    /* Each PE one fewer than the one before it. */                                            \
    const int mine = n > me ? n - me : 0;                                                      \
    shmem_collect##BITS(dest, source, (size_t)mine, s->start, s->log_stride, pes, p_sync);     \
    int at = 0;                                                                                \
    wrong = 0;                                                                                 \
    for (int pe = 0; pe < pes; ++pe)                                                           \
      for (int i = 0; i < n - pe; ++i)                                                         \
        wrong += dest[at++] != (uint##BITS##_t)value(step, pe, 0, i);                          \
    CHECK(wrong == 0);                                                                         \
    shmem_alltoall##BITS(dest, source, count, s->start, s->log_stride, pes, p_sync);           \
    wrong = dest[n * pes] != 7;                                                                \
    for (int i = 0; i < n * pes; ++i)                                                          \
      wrong += dest[i] != (uint##BITS##_t)value(step, i / n, me, i % n);                       \
    CHECK(wrong == 0);                                                                         \
    for (int i = 0; i < n * pes * 2; ++i) dest[i] = 7;                                         \
    /* Every one here, one of two there. */                                                    \
    shmem_alltoalls##BITS(dest, source, 2, 1, count, s->start, s->log_stride, pes, p_sync);    \
    wrong = 0;                                                                                 \
    for (int i = 0; i < n * pes * 2; ++i)                                                      \
      wrong +=                                                                                 \
          dest[i] != (uint##BITS##_t)(i % 2 != 0 ? 7 : value(step, i / 2 / n, me, i / 2 % n)); \
    CHECK(wrong == 0);                                                                         \
  }
TEST_MOVING(32)
TEST_MOVING(64)

// `GIVEN` by PE p of the set, element i, in round k, is reduced to RESULT.
#define TEST(OP, NAME, TYPE, GIVEN, RESULT)                                                       \
  static void test_##OP##_##NAME(const struct set* s, int n, void* to, void* from) {              \
    static TYPE p_wrk[many / 2 + 1 + SHMEM_REDUCE_MIN_WRKDATA_SIZE];                              \
    const int p = s->me, pes = s->size;                                                           \
    TYPE* const source = from;                                                                    \
    for (int k = 0; k < 3; ++k) {                                                                 \
      TYPE* const dest = k == 2 ? from : to;                                                      \
      for (int i = 0; i < n; ++i) source[i] = (TYPE)(GIVEN);                                      \
      dest[n] = 77;                                                                               \
      shmem_##NAME##_##OP##_to_all(dest, source, n, s->start, s->log_stride, pes, p_wrk, p_sync); \
      int wrong = dest[n] != (TYPE)77;                                                            \
      for (int i = 0; i < n; ++i) wrong += dest[i] != (TYPE)(RESULT);                             \
      CHECK(wrong == 0);                                                                          \
    }                                                                                             \
  }
#define BIT_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define ORDERED_TYPES(X) BIT_TYPES(X) X(float, float) X(double, double) X(longdouble, long double)
#define NUMBER_TYPES(X) ORDERED_TYPES(X) X(complexf, float _Complex) X(complexd, double _Complex)

static int factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
#define TEST_BITS(NAME, TYPE)                                      \
  TEST(and, NAME, TYPE, ~(1 << (p + k)), ~(((1 << pes) - 1) << k)) \
  TEST(or, NAME, TYPE, 1 << (p + k), ((1 << pes) - 1) << k)        \
  TEST(xor, NAME, TYPE, 1 << p | 512, ((1 << pes) - 1) | pes % 2 * 512)
BIT_TYPES(TEST_BITS)
#define TEST_ORDER(NAME, TYPE)                                \
  TEST(max, NAME, TYPE, 7 * p + i + k, 7 * (pes - 1) + i + k) \
  TEST(min, NAME, TYPE, 7 * p + i + k, i + k)
ORDERED_TYPES(TEST_ORDER)
#define TEST_NUMBERS(NAME, TYPE)                                                \
  TEST(sum, NAME, TYPE, 7 * p + i + k, 7 * pes * (pes - 1) / 2 + pes * (i + k)) \
  TEST(prod, NAME, TYPE, p + 1, factorial(pes))
NUMBER_TYPES(TEST_NUMBERS)

static void test_reductions_of(const struct set* s, int n, void* to, void* from) {
#define RUN_BITS(NAME, TYPE)       \
  test_and_##NAME(s, n, to, from); \
  test_or_##NAME(s, n, to, from);  \
  test_xor_##NAME(s, n, to, from);
#define RUN_ORDER(NAME, TYPE)      \
  test_max_##NAME(s, n, to, from); \
  test_min_##NAME(s, n, to, from);
#define RUN_NUMBERS(NAME, TYPE)    \
  test_sum_##NAME(s, n, to, from); \
  test_prod_##NAME(s, n, to, from);
  BIT_TYPES(RUN_BITS)
  ORDERED_TYPES(RUN_ORDER)
  NUMBER_TYPES(RUN_NUMBERS)
}

enum { huge = 1 << 17 };
static long arrived, sent;

// What a PE has begun before a barrier is complete behind it, and nobody leaves before all came.
// `many_sent` has `huge` elements, of which the last arrive last.
static void test_order(const struct set* s, long* many_sent, long* data) {
  const int next = in_world(s, (s->me + 1) % s->size);
  const int previous = in_world(s, (s->me + s->size - 1) % s->size);
  // The others have left the sets before, where they looked at what this PE writes to now.
  shmem_sync(s->start, s->log_stride, s->size, p_sync_of_barrier);
  for (int k = 0; k < 3; ++k) {
    for (int i = huge - many; i < huge; ++i) data[i] = in_world(s, s->me) * 1000000 + k + i;
    shmem_long_atomic_add(&arrived, 1, in_world(s, 0));
    shmem_long_put_nbi(many_sent, data, huge, next);
    shmem_barrier(s->start, s->log_stride, s->size, p_sync_of_barrier);
    int wrong = 0;
    for (int i = huge - many; i < huge; ++i) wrong += many_sent[i] != previous * 1000000 + k + i;
    CHECK(wrong == 0);
    if (s->me == 0) CHECK(arrived == (k + 1) * s->size);
    shmem_sync(s->start, s->log_stride, s->size, p_sync_of_barrier);
    sent = 0;
    shmem_sync(s->start, s->log_stride, s->size, p_sync_of_barrier);
    shmem_long_p(&sent, 1 + k, next);
    shmem_quiet();
    shmem_sync(s->start, s->log_stride, s->size, p_sync_of_barrier);
    CHECK(sent == 1 + k);
    shmem_sync(s->start, s->log_stride, s->size, p_sync_of_barrier);
  }
  arrived = 0;
  shmem_barrier(s->start, s->log_stride, s->size, p_sync_of_barrier);
}

// The first collective of a set of three waits for its first PE. The third then goes on to a set
// with the second, which may still be asleep.
static void test_running_ahead(const struct world* w, int first) {
  const int place = w->me - first;
  if (w->pes < 4 || place < 0 || place > 2) return;
  static uint32_t given = 5, got;
  got = 0;
  const struct timespec late = {0, 20000000};
  if (place == 0) nanosleep(&late, NULL);
  use_p_sync_of(first, 0, 3);
  shmem_broadcast32(&got, &given, 1, 2, first, 0, 3, p_sync);
  CHECK(got == (place == 2 ? 0u : 5u));
  use_p_sync_of(first + 1, 0, 2);
  if (place > 0) shmem_sync(first + 1, 0, 2, p_sync_of_barrier);
}

static void test_set(const struct set* s, void* to, void* from) {
  for (int n = few; n <= many; n += many - few) {
    test_moving_32(s, n, to, from);
    test_moving_64(s, n, to, from);
    test_reductions_of(s, n, to, from);
  }
  test_moving_64(s, 0, to, from);
}

static long double to_in_statics[most_pes * many + 1], from_in_statics[most_pes * many + 1];

void test_every_set(const struct world* w) {
  if (w->pes > most_pes) return;
  for (int k = 0; k < most_sets; ++k)
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i)
      p_syncs[k][i] = p_syncs_of_barriers[k][i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  void* const to = shmem_malloc(sizeof to_in_statics);
  void* const from = shmem_malloc(sizeof from_in_statics);
  long* const many_sent = shmem_malloc(huge * sizeof *many_sent);
  long* const data = shmem_calloc(huge, sizeof *data);
  int tested = 0;
  test_running_ahead(w, 0);
  shmem_barrier_all();
  test_running_ahead(w, 1);
  for (int size = 1; size <= w->pes; ++size)
    for (int log_stride = 0; 1 << log_stride <= w->pes; ++log_stride)
      for (int start = 0; start + ((size - 1) << log_stride) < w->pes; ++start) {
        const int from_start = w->me - start, place = from_start >> log_stride;
        if (from_start < 0 || place >= size || place << log_stride != from_start) continue;
        const struct set s = {start, log_stride, size, place};
        use_p_sync_of(start, log_stride, size);
        test_order(&s, many_sent, data);
        test_set(&s, to, from);
        if (log_stride == 1) test_set(&s, to_in_statics, from_in_statics);
        ++tested;
      }
  CHECK(tested >= w->pes);
  shmem_barrier_all();
  int changed = 0;
  for (int k = 0; k < most_sets; ++k)
    for (int i = 0; i < SHMEM_SYNC_SIZE; ++i)
      changed += p_syncs[k][i] != SHMEM_SYNC_VALUE || p_syncs_of_barriers[k][i] != SHMEM_SYNC_VALUE;
  CHECK(changed == 0);
  shmem_free(data);
  shmem_free(many_sent);
  shmem_free(from);
  shmem_free(to);
}
