// iput and iget: each element is where loops would have it, and those between are as they were.
#include <string.h>

#include "tests/shmem/check.h"

enum { places = 60 };

#define TEST_TYPE(NAME, TYPE)                                                                     \
  static void test_##NAME(const struct world* w, TYPE* there, ptrdiff_t dst, ptrdiff_t sst) {     \
    const size_t n = 9;                                                                           \
    TYPE here[places], expected[places];                                                          \
    for (int i = 0; i < places; ++i) {                                                            \
      there[i] = expected[i] = (TYPE)(100 - i);                                                   \
      here[i] = (TYPE)(i + w->me);                                                                \
    }                                                                                             \
    shmem_barrier_all();                                                                          \
    shmem_##NAME##_iput(there, here, dst, sst, n, w->next);                                       \
    shmem_barrier_all();                                                                          \
    for (size_t i = 0; i < n; ++i)                                                                \
      expected[(ptrdiff_t)i * dst] = (TYPE)((ptrdiff_t)i * sst + w->previous);                    \
    for (int i = 0; i < places; ++i) CHECK(there[i] == expected[i]);                              \
    shmem_barrier_all();                                                                          \
    for (int i = 0; i < places; ++i) there[i] = (TYPE)(i + 2 * w->me), here[i] = expected[i] = 1; \
    shmem_barrier_all();                                                                          \
    shmem_##NAME##_iget(here, there, dst, sst, n, w->next);                                       \
    for (size_t i = 0; i < n; ++i)                                                                \
      expected[(ptrdiff_t)i * dst] = (TYPE)((ptrdiff_t)i * sst + 2 * w->next);                    \
    for (int i = 0; i < places; ++i) CHECK(here[i] == expected[i]);                               \
    shmem_##NAME##_iget(here, there, dst, sst, 0, w->next);                                       \
    shmem_barrier_all();                                                                          \
  }                                                                                               \
  static TYPE static_##NAME[places];                                                              \
  static void test_all_##NAME(const struct world* w) {                                            \
    static const ptrdiff_t steps[] = {1, 2, 5};                                                   \
    TYPE* const in_heap = shmem_malloc(places * sizeof(TYPE));                                    \
    for (int d = 0; d < 3; ++d)                                                                   \
      for (int s = 0; s < 3; ++s) {                                                               \
        test_##NAME(w, in_heap, steps[d], steps[s]);                                              \
        test_##NAME(w, static_##NAME, steps[d], steps[s]);                                        \
      }                                                                                           \
    shmem_free(in_heap);                                                                          \
  }
DATA_TYPES(TEST_TYPE)

// iput8 to iput128.
#define TEST_SIZE(BITS)                                                                       \
  static void test_size_##BITS(const struct world* w) {                                       \
    enum { bytes = (BITS) / 8, n = 7, dst = 3, sst = 2 };                                     \
    unsigned char here[n * sst * bytes], back[n * dst * bytes];                               \
    unsigned char* const there = shmem_calloc(n * dst, bytes);                                \
    for (int i = 0; i < n * sst * bytes; ++i) here[i] = (unsigned char)(i + w->me);           \
    memset(back, 9, sizeof back);                                                             \
    shmem_iput##BITS(there, here, dst, sst, n, w->next);                                      \
    shmem_barrier_all();                                                                      \
    for (int i = 0; i < n * dst; ++i)                                                         \
      for (int b = 0; b < bytes; ++b)                                                         \
        CHECK(there[i * bytes + b] ==                                                         \
              (i % dst == 0 ? (unsigned char)(i / dst * sst * bytes + b + w->previous) : 0)); \
    shmem_ctx_iget##BITS(SHMEM_CTX_DEFAULT, back, there, 1, dst, n, w->next);                 \
    for (int i = 0; i < n; ++i)                                                               \
      CHECK(memcmp(back + i * bytes, here + i * sst * bytes, bytes) == 0);                    \
    shmem_free(there);                                                                        \
  }
TEST_SIZE(8)
TEST_SIZE(16)
TEST_SIZE(32)
TEST_SIZE(64)
TEST_SIZE(128)

void test_strided(const struct world* w) {
#define RUN(NAME, TYPE) test_all_##NAME(w);
  DATA_TYPES(RUN)
  test_size_8(w);
  test_size_16(w);
  test_size_32(w);
  test_size_64(w);
  test_size_128(w);
}
