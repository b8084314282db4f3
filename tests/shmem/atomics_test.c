// Atomic operations of every type, on memory of the heap and on static variables.
#include "tests/shmem/check.h"

#define BIT_TYPES(X)               \
  X(uint, unsigned int)            \
  X(ulong, unsigned long)          \
  X(ulonglong, unsigned long long) \
  X(int32, int32_t)                \
  X(int64, int64_t)                \
  X(uint32, uint32_t)              \
  X(uint64, uint64_t)
#define FORMER_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define FORMER_SWAP_TYPES(X) FORMER_TYPES(X) X(float, float) X(double, double)
#define SWAP_TYPES(X) ATOMIC_TYPES(X) X(float, float) X(double, double)

#define CTX SHMEM_CTX_DEFAULT

// `at` is for this PE alone, on each PE one. With and without a context, in turn.
#define TEST_SWAPS(NAME, TYPE)                                              \
  static void test_swaps_##NAME(TYPE* at, int pe) {                         \
    TYPE later = 0, last = 0;                                               \
    shmem_##NAME##_atomic_set(at, (TYPE)5, pe);                             \
    shmem_quiet();                                                          \
    CHECK(shmem_##NAME##_atomic_fetch(at, pe) == (TYPE)5);                  \
    CHECK(shmem_##NAME##_atomic_swap(at, (TYPE)6, pe) == (TYPE)5);          \
    CHECK(shmem_ctx_##NAME##_atomic_swap(CTX, at, (TYPE)7, pe) == (TYPE)6); \
    CHECK(shmem_ctx_##NAME##_atomic_fetch(CTX, at, pe) == (TYPE)7);         \
    shmem_ctx_##NAME##_atomic_set(CTX, at, (TYPE)8, pe);                    \
    shmem_quiet();                                                          \
    shmem_##NAME##_atomic_swap_nbi(&later, at, (TYPE)9, pe);                \
    shmem_quiet();                                                          \
    shmem_##NAME##_atomic_fetch_nbi(&last, at, pe);                         \
    shmem_quiet();                                                          \
    CHECK(later == (TYPE)8 && last == (TYPE)9);                             \
    shmem_ctx_##NAME##_atomic_swap_nbi(CTX, &later, at, (TYPE)1, pe);       \
    shmem_ctx_quiet(CTX);                                                   \
    shmem_ctx_##NAME##_atomic_fetch_nbi(CTX, &last, at, pe);                \
    shmem_ctx_quiet(CTX);                                                   \
    CHECK(later == (TYPE)9 && last == (TYPE)1);                             \
  }
SWAP_TYPES(TEST_SWAPS)

#define TEST_FORMER_SWAPS(NAME, TYPE)                       \
  static void test_former_swaps_##NAME(TYPE* at, int pe) {  \
    shmem_##NAME##_set(at, (TYPE)3, pe);                    \
    shmem_quiet();                                          \
    CHECK(shmem_##NAME##_swap(at, (TYPE)4, pe) == (TYPE)3); \
    CHECK(shmem_##NAME##_fetch(at, pe) == (TYPE)4);         \
  }
FORMER_SWAP_TYPES(TEST_FORMER_SWAPS)

#define TEST_SUMS(NAME, TYPE)                                                    \
  static void test_sums_##NAME(TYPE* at, int pe) {                               \
    TYPE later[4] = {0, 0, 0, 0};                                                \
    const TYPE minus = (TYPE)-1;                                                 \
    shmem_##NAME##_atomic_set(at, minus, pe);                                    \
    shmem_quiet();                                                               \
    CHECK(shmem_##NAME##_atomic_fetch_inc(at, pe) == minus);                     \
    CHECK(shmem_ctx_##NAME##_atomic_fetch_inc(CTX, at, pe) == 0);                \
    CHECK(shmem_##NAME##_atomic_fetch_add(at, 10, pe) == 1);                     \
    CHECK(shmem_ctx_##NAME##_atomic_fetch_add(CTX, at, minus, pe) == 11);        \
    shmem_##NAME##_atomic_inc(at, pe);                                           \
    shmem_ctx_##NAME##_atomic_inc(CTX, at, pe);                                  \
    shmem_##NAME##_atomic_add(at, 100, pe);                                      \
    shmem_ctx_##NAME##_atomic_add(CTX, at, 1000, pe);                            \
    shmem_quiet();                                                               \
    CHECK(shmem_##NAME##_atomic_compare_swap(at, 10, 20, pe) == 1112);           \
    CHECK(shmem_##NAME##_atomic_compare_swap(at, 1112, 20, pe) == 1112);         \
    CHECK(shmem_ctx_##NAME##_atomic_compare_swap(CTX, at, 20, 30, pe) == 20);    \
    shmem_##NAME##_atomic_fetch_inc_nbi(&later[0], at, pe);                      \
    shmem_quiet();                                                               \
    shmem_ctx_##NAME##_atomic_fetch_inc_nbi(CTX, &later[1], at, pe);             \
    shmem_quiet();                                                               \
    shmem_##NAME##_atomic_fetch_add_nbi(&later[2], at, 2, pe);                   \
    shmem_quiet();                                                               \
    shmem_ctx_##NAME##_atomic_fetch_add_nbi(CTX, &later[3], at, 2, pe);          \
    shmem_quiet();                                                               \
    CHECK(later[0] == 30 && later[1] == 31 && later[2] == 32 && later[3] == 34); \
    shmem_##NAME##_atomic_compare_swap_nbi(&later[0], at, 36, 40, pe);           \
    shmem_quiet();                                                               \
    shmem_ctx_##NAME##_atomic_compare_swap_nbi(CTX, &later[1], at, 36, 50, pe);  \
    shmem_quiet();                                                               \
    CHECK(later[0] == 36 && later[1] == 40);                                     \
    CHECK(shmem_##NAME##_atomic_fetch(at, pe) == 40);                            \
  }
ATOMIC_TYPES(TEST_SUMS)

#define TEST_FORMER(NAME, TYPE)                       \
  static void test_former_##NAME(TYPE* at, int pe) {  \
    shmem_##NAME##_set(at, 3, pe);                    \
    shmem_##NAME##_inc(at, pe);                       \
    shmem_##NAME##_add(at, 6, pe);                    \
    shmem_quiet();                                    \
    CHECK(shmem_##NAME##_finc(at, pe) == 10);         \
    CHECK(shmem_##NAME##_fadd(at, 9, pe) == 11);      \
    CHECK(shmem_##NAME##_cswap(at, 20, 2, pe) == 20); \
    CHECK(shmem_##NAME##_fetch(at, pe) == 2);         \
  }
FORMER_TYPES(TEST_FORMER)

#define TEST_BIT_OP(NAME, TYPE, OP, SIGN)                                          \
  static void test_##OP##_##NAME(TYPE* at, int pe) {                               \
    TYPE expected = (TYPE)0x5af03c77, later = 0, last = 0;                         \
    const TYPE a = (TYPE) ~(TYPE)0x0ff0, b = (TYPE)0x33, c = (TYPE)0x7103;         \
    shmem_##NAME##_atomic_set(at, expected, pe);                                   \
    shmem_quiet();                                                                 \
    CHECK(shmem_##NAME##_atomic_fetch_##OP(at, a, pe) == expected);                \
    expected = (TYPE)(expected SIGN a);                                            \
    CHECK(shmem_ctx_##NAME##_atomic_fetch_##OP(CTX, at, b, pe) == expected);       \
    expected = (TYPE)(expected SIGN b);                                            \
    shmem_##NAME##_atomic_##OP(at, c, pe);                                         \
    shmem_ctx_##NAME##_atomic_##OP(CTX, at, b, pe);                                \
    shmem_quiet();                                                                 \
    expected = (TYPE)((expected SIGN c)SIGN b);                                    \
    shmem_##NAME##_atomic_fetch_##OP##_nbi(&later, at, a, pe);                     \
    shmem_quiet();                                                                 \
    shmem_ctx_##NAME##_atomic_fetch_##OP##_nbi(CTX, &last, at, c, pe);             \
    shmem_quiet();                                                                 \
    CHECK(later == expected && last == (TYPE)(expected SIGN a));                   \
    CHECK(shmem_##NAME##_atomic_fetch(at, pe) == (TYPE)((expected SIGN a)SIGN c)); \
  }
#define TEST_BITS(NAME, TYPE)     \
  TEST_BIT_OP(NAME, TYPE, and, &) \
  TEST_BIT_OP(NAME, TYPE, or, |)  \
  TEST_BIT_OP(NAME, TYPE, xor, ^)
BIT_TYPES(TEST_BITS)

// All PEs on one element: nothing is lost, and nobody gets what another got.
static void test_tickets(const struct world* w, long* counter, unsigned int* taken) {
  enum { each = 50 };
  for (int i = 0; i < w->pes * each; ++i) taken[i] = 0;
  *counter = 0;
  shmem_barrier_all();
  for (int i = 0; i < each; ++i) {
    const long ticket = shmem_long_atomic_fetch_inc(counter, 0);
    CHECK(ticket >= 0 && ticket < w->pes * each);
    shmem_uint_atomic_xor(&taken[ticket], 1u << w->me, 0);
  }
  shmem_barrier_all();
  CHECK(shmem_long_atomic_fetch(counter, 0) == (long)w->pes * each);
  for (int i = w->me == 0 ? 0 : w->pes * each; i < w->pes * each; ++i)
    CHECK(taken[i] != 0 && (taken[i] & (taken[i] - 1)) == 0);
  shmem_barrier_all();
}

static long counter_in_statics;
static unsigned int taken_in_statics[8 * 50];
static union {
  long long word;
  double number;
} own_in_statics[8];

void test_atomics(const struct world* w) {
  char* const in_heap = shmem_malloc(8 * (size_t)w->pes);
  for (int pe = 0; pe < w->pes; ++pe) {
    void* const places[] = {in_heap + 8 * w->me, &own_in_statics[w->me]};
    for (int i = 0; i < 2; ++i) {
      void* const at = places[i];
#define RUN_SWAPS(NAME, TYPE) test_swaps_##NAME(at, pe);
#define RUN_FORMER_SWAPS(NAME, TYPE) test_former_swaps_##NAME(at, pe);
#define RUN_SUMS(NAME, TYPE) test_sums_##NAME(at, pe);
#define RUN_FORMER(NAME, TYPE) test_former_##NAME(at, pe);
#define RUN_BITS(NAME, TYPE) \
  test_and_##NAME(at, pe), test_or_##NAME(at, pe), test_xor_##NAME(at, pe);
      SWAP_TYPES(RUN_SWAPS)
      FORMER_SWAP_TYPES(RUN_FORMER_SWAPS)
      ATOMIC_TYPES(RUN_SUMS)
      FORMER_TYPES(RUN_FORMER)
      BIT_TYPES(RUN_BITS)
    }
  }
  shmem_free(in_heap);

  long* const counter = shmem_malloc(sizeof *counter);
  unsigned int* const taken = shmem_malloc(sizeof taken_in_statics);
  test_tickets(w, counter, taken);
  test_tickets(w, &counter_in_statics, taken_in_statics);
  shmem_free(taken);
  shmem_free(counter);
}
