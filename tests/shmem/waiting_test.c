// Waits and tests of variables that other PEs write.
#include <sched.h>
#include <stdlib.h>

#include "tests/shmem/check.h"

#define WAIT_TYPES(X) ATOMIC_TYPES(X) X(short, short) X(ushort, unsigned short)
#define FORMER_TYPES(X) X(short, short) X(int, int) X(long, long) X(longlong, long long)

// Every PE writes to the next, when that one is likely to wait; `at` is 0 everywhere.
#define TEST_ONE(NAME, TYPE)                                     \
  static void test_one_##NAME(const struct world* w, TYPE* at) { \
    CHECK(shmem_##NAME##_test(at, SHMEM_CMP_EQ, 0));             \
    CHECK(!shmem_##NAME##_test(at, SHMEM_CMP_NE, 0));            \
    shmem_barrier_all();                                         \
    shmem_##NAME##_p(at, 5, w->next);                            \
    shmem_##NAME##_wait_until(at, SHMEM_CMP_EQ, 5);              \
    CHECK(*at == 5);                                             \
    shmem_##NAME##_wait_until(at, SHMEM_CMP_NE, 4);              \
    shmem_##NAME##_wait_until(at, SHMEM_CMP_GT, 4);              \
    shmem_##NAME##_wait_until(at, SHMEM_CMP_GE, 5);              \
    shmem_##NAME##_wait_until(at, SHMEM_CMP_LT, 6);              \
    shmem_##NAME##_wait_until(at, SHMEM_CMP_LE, 5);              \
    CHECK(!shmem_##NAME##_test(at, SHMEM_CMP_GT, 5));            \
    CHECK(!shmem_##NAME##_test(at, SHMEM_CMP_GE, 6));            \
    CHECK(!shmem_##NAME##_test(at, SHMEM_CMP_LT, 5));            \
    CHECK(!shmem_##NAME##_test(at, SHMEM_CMP_LE, 4));            \
    CHECK(shmem_##NAME##_test(at, SHMEM_CMP_GE, 5));             \
    CHECK(shmem_##NAME##_test(at, SHMEM_CMP_LE, 5));             \
    shmem_barrier_all();                                         \
    shmem_##NAME##_p(at, 6, w->next);                            \
    while (!shmem_##NAME##_test(at, SHMEM_CMP_GT, 5)) {          \
    }                                                            \
    CHECK(*at == 6);                                             \
    shmem_barrier_all();                                         \
    *at = 0;                                                     \
    shmem_barrier_all();                                         \
  }
WAIT_TYPES(TEST_ONE)

#define TEST_FORMER(NAME, TYPE)                                     \
  static void test_former_##NAME(const struct world* w, TYPE* at) { \
    shmem_##NAME##_p(at, 1, w->next);                               \
    shmem_##NAME##_wait(at, 0);                                     \
    CHECK(*at == 1);                                                \
    shmem_barrier_all();                                            \
    *at = 0;                                                        \
    shmem_barrier_all();                                            \
  }
FORMER_TYPES(TEST_FORMER)

enum { many = 5 };

// `at` has `many` elements, of which PEs set the odd ones of the next, by and by. The even ones
// are left out by `status`, or are to be what they are.
#define TEST_SETS(NAME, TYPE)                                                                 \
  static void test_sets_##NAME(const struct world* w, TYPE* at) {                             \
    static const int status[many] = {1, 0, 7, 0, 1}, nobody[many] = {1, 1, 1, 1, 1};          \
    static const TYPE each[many] = {0, 11, 0, 13, 0}, others[many] = {1, 21, 1, 23, 1};       \
    size_t found[many], n = 0;                                                                \
    CHECK(shmem_##NAME##_wait_until_any(at, 0, NULL, SHMEM_CMP_EQ, 1) == SIZE_MAX);           \
    CHECK(shmem_##NAME##_wait_until_any(at, many, nobody, SHMEM_CMP_EQ, 1) == SIZE_MAX);      \
    CHECK(shmem_##NAME##_wait_until_some(at, many, found, nobody, SHMEM_CMP_EQ, 1) == 0);     \
    CHECK(shmem_##NAME##_test_any(at, many, nobody, SHMEM_CMP_EQ, 0) == SIZE_MAX);            \
    CHECK(shmem_##NAME##_test_any(at, many, status, SHMEM_CMP_NE, 0) == SIZE_MAX);            \
    CHECK(shmem_##NAME##_test_some(at, many, found, NULL, SHMEM_CMP_NE, 0) == 0);             \
    CHECK(shmem_##NAME##_test_all(at, many, NULL, SHMEM_CMP_EQ, 0));                          \
    CHECK(shmem_##NAME##_test_all(at, 0, NULL, SHMEM_CMP_EQ, 9));                             \
    shmem_##NAME##_wait_until_all(at, many, nobody, SHMEM_CMP_EQ, 9);                         \
    shmem_barrier_all();                                                                      \
    shmem_##NAME##_atomic_set(at + 3, 13, w->next);                                           \
    CHECK(shmem_##NAME##_wait_until_any(at, many, status, SHMEM_CMP_GT, 0) == 3);             \
    CHECK(shmem_##NAME##_wait_until_any_vector(at, many, status, SHMEM_CMP_EQ, each) == 3);   \
    CHECK(shmem_##NAME##_test_any_vector(at, many, status, SHMEM_CMP_EQ, each) == 3);         \
    CHECK(shmem_##NAME##_wait_until_some(at, many, found, status, SHMEM_CMP_NE, 0) == 1);     \
    CHECK(found[0] == 3);                                                                     \
    CHECK(!shmem_##NAME##_test_all(at, many, status, SHMEM_CMP_NE, 0));                       \
    CHECK(!shmem_##NAME##_test_all_vector(at, many, NULL, SHMEM_CMP_EQ, each));               \
    shmem_barrier_all();                                                                      \
    shmem_##NAME##_atomic_set(at + 1, 11, w->next);                                           \
    shmem_##NAME##_wait_until_all(at, many, status, SHMEM_CMP_GT, 10);                        \
    shmem_##NAME##_wait_until_all_vector(at, many, NULL, SHMEM_CMP_EQ, each);                 \
    CHECK(shmem_##NAME##_test_all_vector(at, many, NULL, SHMEM_CMP_EQ, each));                \
    CHECK(!shmem_##NAME##_test_all_vector(at, many, NULL, SHMEM_CMP_EQ, others));             \
    n = shmem_##NAME##_wait_until_some_vector(at, many, found, status, SHMEM_CMP_LT, others); \
    CHECK(n == 2 && found[0] == 1 && found[1] == 3);                                          \
    CHECK(shmem_##NAME##_test_some_vector(at, many, found, NULL, SHMEM_CMP_GE, others) == 0); \
    /* Calls that repeat find every one. */                                                   \
    n = shmem_##NAME##_test_any(at, many, status, SHMEM_CMP_GT, 0);                           \
    CHECK(n + shmem_##NAME##_test_any(at, many, status, SHMEM_CMP_GT, 0) == 4 && n % 2 == 1); \
    shmem_barrier_all();                                                                      \
    at[1] = at[3] = 0;                                                                        \
    shmem_barrier_all();                                                                      \
  }
ATOMIC_TYPES(TEST_SETS)

// Who waits serves: the others reach this PE's variables meanwhile, as often as they like.
static long visits;
static int released;
static void test_served(const struct world* w) {
  visits = released = 0;
  shmem_barrier_all();
  if (w->me != 0) {
    for (int i = 0; i < 20; ++i) shmem_long_atomic_fetch_inc(&visits, 0);
    if (shmem_long_atomic_fetch_inc(&visits, 0) == 21 * (w->pes - 1) - 1)
      shmem_int_p(&released, 1, 0);
  } else if (w->pes > 1) {
    shmem_int_wait_until(&released, SHMEM_CMP_EQ, 1);
    CHECK(visits == 21 * (w->pes - 1));
  }
  shmem_barrier_all();
}

static void put_round(long* to, long round, int pe) {
  shmem_long_p(to, round, pe);
}
static void add_one(long* to, long round, int pe) {
  (void)round;
  shmem_long_atomic_inc(to, pe);
}

// Operations that follow one another, each of which makes `round` of an element, arrive without a
// call that completes them, in this PE's waits and while it makes none; atomic ones whether or not
// they gather elsewhere. `at` has `many` elements that are 0 everywhere.
static void test_unquieted(const struct world* w, long* at, void (*begin)(long*, long, int)) {
  volatile long* const seen = at;
  shmem_barrier_all();
  for (long round = 1; round <= 20; ++round) {
    for (int i = 0; i < many; ++i) begin(at + i, round, w->next);
    if (round % 2 == 0) shmem_long_wait_until(at + many - 1, SHMEM_CMP_EQ, round);
    for (int i = 0; i < many; ++i)
      while (seen[i] != round) sched_yield();
    shmem_barrier_all();
  }
  for (int i = 0; i < many; ++i) at[i] = 0;
  shmem_barrier_all();
}

// A value goes round all PEs, each of which puts it on without a fence: its neighbour has seen the
// one before, since it has come back.
static void test_ring(const struct world* w, long* at) {
  for (long lap = 1; lap <= 5; ++lap) {
    if (w->me != 0) shmem_long_wait_until(at, SHMEM_CMP_EQ, lap);
    shmem_long_p(at, lap, w->next);
    if (w->me == 0) shmem_long_wait_until(at, SHMEM_CMP_EQ, lap);
  }
  shmem_barrier_all();
  *at = 0;
  shmem_barrier_all();
}

// Nonblocking ones do in waits and in tests.
static void test_unquieted_nbi(const struct world* w, long* at) {
  long from[many];
  for (long round = 1; round <= 20; ++round) {
    for (int i = 0; i < many; ++i) {
      from[i] = round;
      shmem_long_put_nbi(at + i, from + i, 1, w->next);
    }
    if (round % 2 == 0)
      shmem_long_wait_until_all(at, many, NULL, SHMEM_CMP_EQ, round);
    else
      while (!shmem_long_test_all(at, many, NULL, SHMEM_CMP_EQ, round)) {
      }
    shmem_barrier_all();
  }
  for (int i = 0; i < many; ++i) at[i] = 0;
  shmem_barrier_all();
}

void test_waiting(const struct world* w) {
  static long long in_statics[many];
  long long* const in_heap = shmem_calloc(many, sizeof *in_heap);
  void* const places[] = {in_heap, in_statics};
  for (int i = 0; i < 2; ++i) {
    void* const at = places[i];
#define RUN_ONE(NAME, TYPE) test_one_##NAME(w, at);
#define RUN_FORMER(NAME, TYPE) test_former_##NAME(w, at);
#define RUN_SETS(NAME, TYPE) test_sets_##NAME(w, at);
    WAIT_TYPES(RUN_ONE)
    FORMER_TYPES(RUN_FORMER)
    ATOMIC_TYPES(RUN_SETS)
    long* const word = at;
    shmem_long_p(word, 3, w->next);
    shmem_wait_until(word, SHMEM_CMP_EQ, 3);
    shmem_wait(word, 0);
    CHECK(*word == 3);
    shmem_barrier_all();
    *word = 0;
    test_unquieted(w, at, put_round);
    test_unquieted_nbi(w, at);
    test_unquieted(w, at, add_one);
    test_ring(w, at);
  }
  shmem_free(in_heap);
  test_served(w);
}
