// Reductions of teams, of few elements and of as many as PEs share among them, against what
// formulas say. What lies behind `dest` stays as it is.
#include "tests/shmem/check.h"

enum { few = 3, many = 700 };

#define BIT_TYPES(X)               \
  X(uchar, unsigned char)          \
  X(ushort, unsigned short)        \
  X(uint, unsigned int)            \
  X(ulong, unsigned long)          \
  X(ulonglong, unsigned long long) \
  X(int8, int8_t)                  \
  X(int16, int16_t)                \
  X(int32, int32_t)                \
  X(int64, int64_t)                \
  X(uint8, uint8_t)                \
  X(uint16, uint16_t)              \
  X(uint32, uint32_t)              \
  X(uint64, uint64_t)              \
  X(size, size_t)
#define COMPLEX_TYPES(X) X(complexf, float _Complex) X(complexd, double _Complex)

static const int lengths[] = {0, 1, few, many};

// What PE `pe` gives for element `i`: 0 to pes - 1, of each PE another.
static int place(int pe, int pes, int i) {
  return (pe + i) % pes;
}

// `GIVEN` of p, this PE's place, is reduced to RESULT.
#define TEST(OP, NAME, TYPE, GIVEN, RESULT)                                    \
  static void test_##OP##_##NAME(shmem_team_t team, void* to, void* from) {    \
    const int me = shmem_team_my_pe(team), pes = shmem_team_n_pes(team);       \
    TYPE* const source = from;                                                 \
    for (int k = 0; k < 8; ++k) {                                              \
      const int n = lengths[k / 2];                                            \
      TYPE* const dest = k % 2 == 0 ? to : from;                               \
      dest[n] = 77;                                                            \
      for (int i = 0; i < n; ++i) {                                            \
        const int p = place(me, pes, i);                                       \
        source[i] = (TYPE)(GIVEN);                                             \
      }                                                                        \
      shmem_team_sync(team);                                                   \
      CHECK(shmem_##NAME##_##OP##_reduce(team, dest, source, (size_t)n) == 0); \
      int wrong = 0;                                                           \
      for (int i = 0; i < n; ++i) wrong += dest[i] != (TYPE)(RESULT);          \
      CHECK(wrong == 0);                                                       \
      CHECK(dest[n] == (TYPE)77);                                              \
      shmem_team_sync(team);                                                   \
    }                                                                          \
  }

#define TEST_BITS(NAME, TYPE)                         \
  TEST(and, NAME, TYPE, ~(1 << p), ~((1 << pes) - 1)) \
  TEST(or, NAME, TYPE, 1 << p, (1 << pes) - 1)        \
  TEST(xor, NAME, TYPE, 1 << p | 64, ((1 << pes) - 1) | pes % 2 * 64)
BIT_TYPES(TEST_BITS)

#define TEST_ORDER(NAME, TYPE)                        \
  TEST(max, NAME, TYPE, 7 * p + 1, 7 * (pes - 1) + 1) \
  TEST(min, NAME, TYPE, 7 * p + 1, 1)
DATA_TYPES(TEST_ORDER)

// The last is 24 of four PEs, which every type holds.
static int factorial(int n) {
  return n <= 1 ? 1 : n * factorial(n - 1);
}
#define TEST_NUMBERS(NAME, TYPE)                                  \
  TEST(sum, NAME, TYPE, 7 * p + 1, 7 * pes * (pes - 1) / 2 + pes) \
  TEST(prod, NAME, TYPE, p + 1, factorial(pes))
DATA_TYPES(TEST_NUMBERS)
#define TEST_COMPLEX(NAME, TYPE)                                         \
  TEST(sum, NAME, TYPE, 7 * p + 1 + p * (TYPE)1.0i,                      \
       7 * pes * (pes - 1) / 2 + pes + pes * (pes - 1) / 2 * (TYPE)1.0i) \
  TEST(prod, NAME, TYPE, p == 0 ? (TYPE)1.0i : (TYPE)(p + 1), factorial(pes) * (TYPE)1.0i)
COMPLEX_TYPES(TEST_COMPLEX)

static void test_team(shmem_team_t team, void* to, void* from) {
#define RUN_BITS(NAME, TYPE)       \
  test_and_##NAME(team, to, from); \
  test_or_##NAME(team, to, from);  \
  test_xor_##NAME(team, to, from);
#define RUN_ORDER(NAME, TYPE)      \
  test_max_##NAME(team, to, from); \
  test_min_##NAME(team, to, from);
#define RUN_NUMBERS(NAME, TYPE)    \
  test_sum_##NAME(team, to, from); \
  test_prod_##NAME(team, to, from);
  BIT_TYPES(RUN_BITS)
  DATA_TYPES(RUN_ORDER)
  DATA_TYPES(RUN_NUMBERS)
  COMPLEX_TYPES(RUN_NUMBERS)
}

static long double to_in_statics[many + 1], from_in_statics[many + 1];

void test_reductions(const struct world* w) {
  void* const to = shmem_malloc(sizeof to_in_statics);
  void* const from = shmem_malloc(sizeof from_in_statics);
  test_team(SHMEM_TEAM_WORLD, to, from);
  test_team(SHMEM_TEAM_WORLD, to_in_statics, from_in_statics);
  shmem_team_t odd = SHMEM_TEAM_INVALID;
  if (w->pes > 1) shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, w->pes / 2, NULL, 0, &odd);
  if (odd != SHMEM_TEAM_INVALID) test_team(odd, to, from);
  shmem_barrier_all();
  shmem_team_destroy(odd);
  shmem_free(from);
  shmem_free(to);
}
