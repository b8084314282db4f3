// Random atomic operations against a copy of what each element is to hold. Some elements belong to
// one PE, which then knows every result; others all PEs add to, and their sums are known.
#include <stdlib.h>
#include <string.h>

#include "tests/shmem/check.h"

enum { places = 6, steps = 400, shared = 3 };

// What step `step` does to one element that holds *expected; results of `_nbi` come to *later.
#define TEST_TYPE(NAME, TYPE)                                                                     \
  struct later_##NAME {                                                                           \
    TYPE got;                                                                                     \
    TYPE expected;                                                                                \
  };                                                                                              \
  static void step_##NAME(TYPE* at, int pe, TYPE* expected, struct later_##NAME* later,           \
                          uint64_t* random) {                                                     \
    const TYPE value = (TYPE)(next_random(random) >> next_random(random) % 64);                   \
    const TYPE before = *expected;                                                                \
    TYPE got = before;                                                                            \
    later->got = later->expected = before;                                                        \
    switch (next_random(random) % 18) {                                                           \
      case 0:                                                                                     \
        got = shmem_##NAME##_atomic_fetch(at, pe);                                                \
        break;                                                                                    \
      case 1:                                                                                     \
        shmem_##NAME##_atomic_set(at, value, pe), *expected = value;                              \
        break;                                                                                    \
      case 2:                                                                                     \
        got = shmem_##NAME##_atomic_swap(at, value, pe), *expected = value;                       \
        break;                                                                                    \
      case 3:                                                                                     \
        got = shmem_##NAME##_atomic_compare_swap(at, before, value, pe), *expected = value;       \
        break;                                                                                    \
      case 4:                                                                                     \
        got = shmem_##NAME##_atomic_compare_swap(at, (TYPE)(before + 1), value, pe);              \
        break;                                                                                    \
      case 5:                                                                                     \
        got = shmem_##NAME##_atomic_fetch_inc(at, pe), *expected = (TYPE)(before + 1);            \
        break;                                                                                    \
      case 6:                                                                                     \
        shmem_##NAME##_atomic_inc(at, pe), *expected = (TYPE)(before + 1);                        \
        break;                                                                                    \
      case 7:                                                                                     \
        got = shmem_##NAME##_atomic_fetch_add(at, value, pe), *expected = (TYPE)(before + value); \
        break;                                                                                    \
      case 8:                                                                                     \
        shmem_##NAME##_atomic_add(at, value, pe), *expected = (TYPE)(before + value);             \
        break;                                                                                    \
      case 9:                                                                                     \
        got = shmem_##NAME##_atomic_fetch_and(at, value, pe), *expected = before & value;         \
        break;                                                                                    \
      case 10:                                                                                    \
        shmem_##NAME##_atomic_or(at, value, pe), *expected = before | value;                      \
        break;                                                                                    \
      case 11:                                                                                    \
        got = shmem_##NAME##_atomic_fetch_xor(at, value, pe), *expected = before ^ value;         \
        break;                                                                                    \
      case 12:                                                                                    \
        shmem_##NAME##_atomic_fetch_nbi(&later->got, at, pe);                                     \
        break;                                                                                    \
      case 13:                                                                                    \
        shmem_##NAME##_atomic_swap_nbi(&later->got, at, value, pe), *expected = value;            \
        break;                                                                                    \
      case 14:                                                                                    \
        shmem_##NAME##_atomic_compare_swap_nbi(&later->got, at, before, value, pe);               \
        *expected = value;                                                                        \
        break;                                                                                    \
      case 15:                                                                                    \
        shmem_##NAME##_atomic_fetch_add_nbi(&later->got, at, value, pe);                          \
        *expected = (TYPE)(before + value);                                                       \
        break;                                                                                    \
      case 16:                                                                                    \
        shmem_##NAME##_atomic_fetch_or_nbi(&later->got, at, value, pe);                           \
        *expected = before | value;                                                               \
        break;                                                                                    \
      default:                                                                                    \
        shmem_##NAME##_atomic_fetch_inc_nbi(&later->got, at, pe);                                 \
        *expected = (TYPE)(before + 1);                                                           \
    }                                                                                             \
    CHECK(got == before);                                                                         \
  }                                                                                               \
  /* Of `all`, each PE has `places` elements on each PE, and the first `shared` are everybody's.  \
   */                                                                                             \
  static void test_##NAME(const struct world* w, TYPE* all, uint64_t random) {                    \
    TYPE* const expected = calloc((size_t)w->pes * places, sizeof *expected);                     \
    struct later_##NAME* const later = calloc(steps, sizeof *later);                              \
    int* const under_way = calloc((size_t)w->pes * places, sizeof *under_way);                    \
    TYPE given[shared] = {0, 0, 0};                                                               \
    TYPE* const sums = shmem_calloc((size_t)w->pes * shared, sizeof *sums);                       \
    TYPE* const mine = all + shared + w->me * places;                                             \
    memset(all, 0, (size_t)(shared + w->pes * places) * sizeof *all);                             \
    shmem_barrier_all();                                                                          \
    for (int step = 0; step < steps; ++step) {                                                    \
      const int pe = (int)(next_random(&random) % (uint64_t)w->pes);                              \
      const int place = (int)(next_random(&random) % places);                                     \
      const int which = pe * places + place;                                                      \
      if (under_way[which]) { /* one at a time: operations that are under way have no order */    \
        shmem_quiet();                                                                            \
        memset(under_way, 0, (size_t)w->pes* places * sizeof *under_way);                         \
      }                                                                                           \
      under_way[which] = 1;                                                                       \
      step_##NAME(mine + place, pe, &expected[which], &later[step], &random);                     \
      const TYPE more = (TYPE)(next_random(&random) % 1000);                                      \
      given[step % shared] = (TYPE)(given[step % shared] + more);                                 \
      shmem_##NAME##_atomic_add(all + step % shared, more, pe);                                   \
    }                                                                                             \
    shmem_quiet();                                                                                \
    for (int step = 0; step < steps; ++step) CHECK(later[step].got == later[step].expected);      \
    for (int i = 0; i < w->pes * places; ++i)                                                     \
      CHECK(shmem_##NAME##_atomic_fetch(mine + i % places, i / places) == expected[i]);           \
    for (int i = 0; i < shared; ++i) shmem_##NAME##_p(sums + w->me * shared + i, given[i], 0);    \
    shmem_barrier_all();                                                                          \
    for (int i = 0; i < shared; ++i) {                                                            \
      TYPE all_given = 0, found = 0;                                                              \
      for (int pe = 0; pe < w->pes; ++pe) {                                                       \
        all_given = (TYPE)(all_given + shmem_##NAME##_g(sums + pe * shared + i, 0));              \
        found = (TYPE)(found + shmem_##NAME##_atomic_fetch(all + i, pe));                         \
      }                                                                                           \
      CHECK(found == all_given);                                                                  \
    }                                                                                             \
    shmem_barrier_all();                                                                          \
    shmem_free(sums);                                                                             \
    free(under_way);                                                                              \
    free(later);                                                                                  \
    free(expected);                                                                               \
  }                                                                                               \
  static TYPE in_statics_##NAME[shared + 8 * places];
TEST_TYPE(uint32, uint32_t)
TEST_TYPE(uint64, uint64_t)

void test_random_atomics(const struct world* w) {
  const size_t elements = shared + (size_t)w->pes * places;
  const uint64_t seed = seed_of_run() + (uint64_t)w->me;
  uint32_t* const words = shmem_malloc(elements * sizeof *words);
  uint64_t* const longs = shmem_malloc(elements * sizeof *longs);
  test_uint32(w, words, seed);
  test_uint64(w, longs, seed * 3);
  test_uint32(w, in_statics_uint32, seed * 5);
  test_uint64(w, in_statics_uint64, seed * 7);
  shmem_free(longs);
  shmem_free(words);
}
