// The names without a type: each calls the function of its arguments' type, with a context and
// without. The context's PEs are numbered backwards, so that a call that loses it goes elsewhere.
#include <stddef.h>

#include "tests/shmem/check.h"

// What programs may have defined where they call.
#define put 1
#define p 2
#define g 3
#define atomic 4

static shmem_team_t backwards;
static shmem_ctx_t ctx;
static uint64_t signalled;
static int there, next;  // the next PE in the context, and of all

#define IS(TYPE, expression) _Generic((expression), TYPE : 1, default : 0)

#define TEST_DATA(NAME, TYPE)                                                                  \
  static void test_data_##NAME(void) {                                                         \
    static TYPE box[16];                                                                       \
    TYPE given[4] = {1, 2, 3, 4}, got[16] = {0};                                               \
    const TYPE wanted[16] = {1, 2, 1, 2, 2, 3, 1, 2, 1, 3, 2, 4, 1, 2, 3, 4};                  \
    signalled = 0;                                                                             \
    shmem_sync(SHMEM_TEAM_WORLD);                                                              \
    int k = 0;                                                                                 \
    shmem_p(box + k++, given[0], next);                                                        \
    shmem_p(ctx, box + k++, given[1], there);                                                  \
    shmem_put(box + k, given, 2, next);                                                        \
    shmem_put(ctx, box + (k += 2), given + 1, 2, there);                                       \
    CHECK(k == 4);                                                                             \
    shmem_put_nbi(box + 6, given, 1, next);                                                    \
    shmem_put_nbi(ctx, box + 7, given + 1, 1, there);                                          \
    shmem_iput(box + 8, given, 1, 2, 2, next);                                                 \
    shmem_iput(ctx, box + 10, given + 1, 1, 2, 2, there);                                      \
    shmem_put_signal(box + 12, given, 1, &signalled, 1, SHMEM_SIGNAL_ADD, next);               \
    shmem_put_signal(ctx, box + 13, given + 1, 1, &signalled, 1, SHMEM_SIGNAL_ADD, there);     \
    shmem_put_signal_nbi(box + 14, given + 2, 1, &signalled, 1, SHMEM_SIGNAL_ADD, next);       \
    shmem_put_signal_nbi(ctx, box + 15, given + 3, 1, &signalled, 1, SHMEM_SIGNAL_ADD, there); \
    shmem_barrier_all();                                                                       \
    CHECK(signalled == 4);                                                                     \
    int wrong = 0;                                                                             \
    for (int i = 0; i < 16; ++i) wrong += box[i] != wanted[i];                                 \
    CHECK(wrong == 0);                                                                         \
    got[0] = shmem_g(box, next);                                                               \
    got[1] = shmem_g(ctx, (const TYPE*)box + 1, there);                                        \
    CHECK(IS(TYPE, shmem_g(box, 0)) && IS(TYPE, shmem_g(ctx, box, 0)));                        \
    shmem_get(got + 2, box + 2, 2, next);                                                      \
    shmem_get(ctx, got + 4, box + 4, 2, there);                                                \
    shmem_get_nbi(got + 6, box + 6, 1, next);                                                  \
    shmem_get_nbi(ctx, got + 7, box + 7, 1, there);                                            \
    shmem_iget(got + 8, box + 8, 2, 1, 2, next);                                               \
    shmem_iget(ctx, got + 9, box + 10, 2, 1, 2, there);                                        \
    shmem_quiet();                                                                             \
    wrong = 0;                                                                                 \
    for (int i = 0; i < 8; ++i) wrong += got[i] != wanted[i];                                  \
    for (int i = 8; i < 12; ++i) wrong += got[i] != wanted[8 + (i - 8) / 2 + i % 2 * 2];       \
    CHECK(wrong == 0);                                                                         \
    shmem_barrier_all();                                                                       \
  }
DATA_TYPES(TEST_DATA)

// Of a variable of the next PE that nobody else accesses. WHERE: nothing, or a context, with PE.
#define WITH_CTX ctx,
#define TEST_REAL_ATOMICS(NAME, TYPE, WHERE, PE)                       \
  {                                                                    \
    static TYPE at;                                                    \
    TYPE before = 0;                                                   \
    shmem_atomic_set(WHERE& at, 5, PE);                                \
    CHECK(shmem_atomic_fetch(WHERE& at, PE) == 5);                     \
    CHECK(IS(TYPE, shmem_atomic_fetch(WHERE& at, PE)));                \
    CHECK(shmem_atomic_swap(WHERE& at, 6, PE) == 5);                   \
    shmem_atomic_swap_nbi(WHERE& before, &at, 7, PE);                  \
    shmem_quiet();                                                     \
    CHECK(before == 6);                                                \
    shmem_atomic_fetch_nbi(WHERE& before, &at, PE);                    \
    shmem_quiet();                                                     \
    CHECK(before == 7 && shmem_##NAME##_atomic_fetch(&at, next) == 7); \
    shmem_barrier_all();                                               \
  }
#define TEST_ATOMICS(NAME, TYPE, WHERE, PE)                              \
  {                                                                      \
    static TYPE at;                                                      \
    TYPE before = 0;                                                     \
    shmem_atomic_inc(WHERE& at, PE);                                     \
    CHECK(shmem_atomic_fetch_inc(WHERE& at, PE) == 1);                   \
    shmem_atomic_fetch_inc_nbi(WHERE& before, &at, PE);                  \
    shmem_quiet();                                                       \
    CHECK(before == 2);                                                  \
    shmem_atomic_add(WHERE& at, 10, PE);                                 \
    CHECK(shmem_atomic_fetch_add(WHERE& at, 10, PE) == 13);              \
    shmem_atomic_fetch_add_nbi(WHERE& before, &at, 10, PE);              \
    shmem_quiet();                                                       \
    CHECK(before == 23);                                                 \
    CHECK(shmem_atomic_compare_swap(WHERE& at, 33, 34, PE) == 33);       \
    shmem_atomic_compare_swap_nbi(WHERE& before, &at, 34, 35, PE);       \
    shmem_quiet();                                                       \
    CHECK(before == 34 && shmem_##NAME##_atomic_fetch(&at, next) == 35); \
    shmem_barrier_all();                                                 \
  }
#define TEST_BITS(NAME, TYPE, WHERE, PE)                               \
  {                                                                    \
    static TYPE at;                                                    \
    TYPE before = 0;                                                   \
    shmem_atomic_set(WHERE& at, 5, PE);                                \
    shmem_atomic_or(WHERE& at, 3, PE);                                 \
    CHECK(shmem_atomic_fetch_or(WHERE& at, 12, PE) == 7);              \
    shmem_atomic_fetch_or_nbi(WHERE& before, &at, 24, PE);             \
    shmem_quiet();                                                     \
    CHECK(before == 15);                                               \
    shmem_atomic_and(WHERE& at, 30, PE);                               \
    CHECK(shmem_atomic_fetch_and(WHERE& at, 28, PE) == 30);            \
    shmem_atomic_fetch_and_nbi(WHERE& before, &at, 24, PE);            \
    shmem_quiet();                                                     \
    CHECK(before == 28);                                               \
    shmem_atomic_xor(WHERE& at, 8, PE);                                \
    CHECK(shmem_atomic_fetch_xor(WHERE& at, 17, PE) == 16);            \
    shmem_atomic_fetch_xor_nbi(WHERE& before, &at, 3, PE);             \
    shmem_quiet();                                                     \
    CHECK(before == 1 && shmem_##NAME##_atomic_fetch(&at, next) == 2); \
    shmem_barrier_all();                                               \
  }
#define BIT_TYPES(X)  \
  X(uint32, uint32_t) \
  X(uint64, uint64_t) X(int32, int32_t) X(int64, int64_t) X(ulonglong, unsigned long long)
static void test_atomics_of_types(void) {
#define RUN(NAME, TYPE)                 \
  TEST_REAL_ATOMICS(NAME, TYPE, , next) \
  TEST_REAL_ATOMICS(NAME, TYPE, WITH_CTX, there)
  ATOMIC_TYPES(RUN)
  RUN(float, float)
  RUN(double, double)
#undef RUN
#define RUN(NAME, TYPE)            \
  TEST_ATOMICS(NAME, TYPE, , next) \
  TEST_ATOMICS(NAME, TYPE, WITH_CTX, there)
  ATOMIC_TYPES(RUN)
#undef RUN
#define RUN(NAME, TYPE)         \
  TEST_BITS(NAME, TYPE, , next) \
  TEST_BITS(NAME, TYPE, WITH_CTX, there)
  BIT_TYPES(RUN)
#undef RUN
}

#define TEST_FORMER_SWAP(TYPE)                                                \
  {                                                                           \
    static TYPE at;                                                           \
    shmem_set(&at, 5, next);                                                  \
    CHECK(shmem_swap(&at, 6, next) == 5 && IS(TYPE, shmem_fetch(&at, next))); \
    CHECK(shmem_fetch(&at, next) == 6);                                       \
    shmem_barrier_all();                                                      \
  }
#define TEST_FORMER(TYPE)                                                        \
  TEST_FORMER_SWAP(TYPE) {                                                       \
    static TYPE at;                                                              \
    shmem_inc(&at, next);                                                        \
    CHECK(shmem_finc(&at, next) == 1);                                           \
    shmem_add(&at, 10, next);                                                    \
    CHECK(shmem_fadd(&at, 10, next) == 12);                                      \
    CHECK(shmem_cswap(&at, 22, 23, next) == 22 && shmem_fetch(&at, next) == 23); \
    shmem_barrier_all();                                                         \
  }
static void test_former(void){TEST_FORMER(int) TEST_FORMER(long) TEST_FORMER(long long)
                                  TEST_FORMER_SWAP(float) TEST_FORMER_SWAP(double)}
#define TEST_WAIT(NAME, TYPE)                        \
  static void test_wait_##NAME(void) {               \
    static TYPE at;                                  \
    at = (TYPE)-1;                                   \
    shmem_wait_until(&at, SHMEM_CMP_EQ, (TYPE)-1);   \
    CHECK(shmem_test(&at, SHMEM_CMP_EQ, (TYPE)-1));  \
    CHECK(!shmem_test(&at, SHMEM_CMP_NE, (TYPE)-1)); \
  }
ATOMIC_TYPES(TEST_WAIT) TEST_WAIT(short, short) TEST_WAIT(ushort, unsigned short)

#define TEST_WAITS(NAME, TYPE)                                                               \
  static void test_waits_##NAME(void) {                                                      \
    static TYPE at[2];                                                                       \
    const TYPE values[2] = {4, 6};                                                           \
    size_t found[2];                                                                         \
    at[0] = 4;                                                                               \
    at[1] = 5;                                                                               \
    shmem_wait_until_all(at, 2, NULL, SHMEM_CMP_GE, 4);                                      \
    CHECK(shmem_wait_until_any(at, 2, NULL, SHMEM_CMP_GT, 4) == 1);                          \
    CHECK(shmem_wait_until_some(at, 2, found, NULL, SHMEM_CMP_GT, 4) == 1 && found[0] == 1); \
    shmem_wait_until_all_vector(at, 2, NULL, SHMEM_CMP_LE, values);                          \
    CHECK(shmem_wait_until_any_vector(at, 2, NULL, SHMEM_CMP_LT, values) == 1);              \
    CHECK(shmem_wait_until_some_vector(at, 2, found, NULL, SHMEM_CMP_LT, values) == 1);      \
    CHECK(shmem_test_all(at, 2, NULL, SHMEM_CMP_GE, 4));                                     \
    CHECK(shmem_test_any(at, 2, NULL, SHMEM_CMP_GT, 4) == 1);                                \
    CHECK(shmem_test_any(at, 2, NULL, SHMEM_CMP_GT, 9) == SIZE_MAX);                         \
    CHECK(!shmem_test_all(at, 2, NULL, SHMEM_CMP_GT, 4));                                    \
    CHECK(shmem_test_any_vector(at, 2, NULL, SHMEM_CMP_GT, values) == SIZE_MAX);             \
    CHECK(shmem_test_some_vector(at, 2, found, NULL, SHMEM_CMP_GT, values) == 0);            \
    CHECK(shmem_test_some(at, 2, found, NULL, SHMEM_CMP_GT, 5) == 0);                        \
    CHECK(!shmem_test_all_vector(at, 2, NULL, SHMEM_CMP_EQ, values));                        \
    CHECK(shmem_test_any_vector(at, 2, NULL, SHMEM_CMP_EQ, values) == 0);                    \
    CHECK(shmem_test_some_vector(at, 2, found, NULL, SHMEM_CMP_EQ, values) == 1);            \
  }
    ATOMIC_TYPES(TEST_WAITS)

// Of the team backwards: its first PE is the last of all.
#define TEST_COLLECTIVES(NAME, TYPE)                                                       \
  static void test_collectives_##NAME(const struct world* w) {                             \
    static TYPE source[8], dest[16];                                                       \
    const int pes = w->pes, me = shmem_team_my_pe(backwards);                              \
    if (pes > 6) return;                                                                   \
    for (int i = 0; i <= pes; ++i) source[i] = (TYPE)(10 * me + i + 1);                    \
    CHECK(shmem_broadcast(backwards, dest, source, 1, pes - 1) == 0);                      \
    CHECK(dest[0] == (TYPE)(10 * (pes - 1) + 1));                                          \
    CHECK(shmem_fcollect(backwards, dest, source, 1) == 0);                                \
    CHECK(dest[0] == 1 && dest[pes - 1] == (TYPE)(10 * (pes - 1) + 1));                    \
    CHECK(shmem_collect(backwards, dest, source, me == 0 ? 2 : 1) == 0);                   \
    CHECK(dest[1] == 2 && dest[pes] == (pes == 1 ? dest[1] : (TYPE)(10 * (pes - 1) + 1))); \
    CHECK(shmem_alltoall(backwards, dest, source, 1) == 0);                                \
    CHECK(dest[0] == (TYPE)(me + 1) && dest[pes - 1] == (TYPE)(10 * (pes - 1) + me + 1));  \
    CHECK(shmem_alltoalls(backwards, dest, source, 2, 1, 1) == 0);                         \
    CHECK(dest[2 * pes - 2] == (TYPE)(10 * (pes - 1) + me + 1));                           \
    CHECK(shmem_max_reduce(backwards, dest, source, 1) == 0);                              \
    CHECK(dest[0] == (TYPE)(10 * (pes - 1) + 1));                                          \
    CHECK(shmem_min_reduce(backwards, dest, source, 1) == 0 && dest[0] == 1);              \
    CHECK(IS(int, shmem_sum_reduce(backwards, dest, source, 1)));                          \
    source[0] = (TYPE)(me + 1);                                                            \
    CHECK(shmem_sum_reduce(backwards, dest, source, 1) == 0);                              \
    CHECK(dest[0] == (TYPE)(pes * (pes + 1) / 2));                                         \
    source[0] = 2;                                                                         \
    CHECK(shmem_prod_reduce(backwards, dest, source, 1) == 0);                             \
    CHECK(dest[0] == (TYPE)(1 << pes));                                                    \
    shmem_sync(backwards);                                                                 \
  }
        DATA_TYPES(TEST_COLLECTIVES)

#define REDUCED_BIT_TYPES(X) \
  BIT_TYPES(X)               \
  X(uchar, unsigned char)    \
  X(ushort, unsigned short) X(int8, int8_t) X(int16, int16_t) X(size, size_t)
#define TEST_REDUCED_BITS(NAME, TYPE)                                                           \
  static void test_bits_##NAME(const struct world* w) {                                         \
    static TYPE source, dest;                                                                   \
    source = (TYPE)(w->me == 0 ? 6 : 7);                                                        \
    CHECK(shmem_and_reduce(backwards, &dest, &source, 1) == 0 && dest == 6);                    \
    CHECK(shmem_or_reduce(backwards, &dest, &source, 1) == 0 && dest == (w->pes == 1 ? 6 : 7)); \
    CHECK(shmem_xor_reduce(backwards, &dest, &source, 1) == 0);                                 \
    CHECK(dest == (w->pes % 2 != 0 ? 6 : 1));                                                   \
    shmem_sync(backwards);                                                                      \
  }
            REDUCED_BIT_TYPES(TEST_REDUCED_BITS)

                static void test_complex(const struct world* w) {
  static float _Complex one, sum;
  static double _Complex two, product;
  one = 1.0f;
  two = 2.0;
  CHECK(shmem_sum_reduce(backwards, &sum, &one, 1) == 0 && sum == (float)w->pes);
  CHECK(shmem_prod_reduce(backwards, &product, &two, 1) == 0);
  CHECK(product == (double)(1 << w->pes));
  shmem_sync(backwards);
}

// Types' names too.
#define uint unsigned int
#define schar 5
static void test_macros_of_programs(void) {
  static uint at;
  shmem_p(&at, 7, next);
  shmem_barrier_all();
  CHECK(shmem_g(&at, next) == 7 && shmem_atomic_fetch_and(ctx, &at, 3, there) == 7);
  shmem_barrier_all();
}
#undef uint
#undef schar

void test_generic(const struct world* w) {
  shmem_team_split_strided(SHMEM_TEAM_WORLD, w->pes - 1, -1, w->pes, NULL, 0, &backwards);
  shmem_team_create_ctx(backwards, 0, &ctx);
  next = w->next;
  there = w->pes - 1 - next;
#define RUN(NAME, TYPE) \
  test_data_##NAME();   \
  test_collectives_##NAME(w);
  DATA_TYPES(RUN)
#undef RUN
  test_atomics_of_types();
  test_former();
#define RUN(NAME, TYPE) \
  test_wait_##NAME();   \
  test_waits_##NAME();
  ATOMIC_TYPES(RUN)
#undef RUN
  test_wait_short();
  test_wait_ushort();
#define RUN(NAME, TYPE) test_bits_##NAME(w);
  REDUCED_BIT_TYPES(RUN)
  test_complex(w);
  test_macros_of_programs();
  // The form of active sets returns nothing.
  static long p_sync[SHMEM_SYNC_SIZE];
  for (size_t i = 0; i < SHMEM_SYNC_SIZE; ++i) p_sync[i] = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  shmem_sync(0, 0, w->pes, p_sync);
  CHECK(IS(int, shmem_sync(SHMEM_TEAM_WORLD)));
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(backwards);
}
