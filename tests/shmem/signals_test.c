// Puts with a signal: who has seen the signal sees the data.
#include <stdlib.h>

#include "tests/shmem/check.h"

enum { length = 40 };

static int value_of(int from, int i, int round) {
  return (from * 29 + i + round * 7) % 90;
}

static uint64_t signal_before;  // on all PEs alike

#define TEST_CALL(NAME, TYPE, CALL, size)                                                         \
  {                                                                                               \
    for (int i = 0; i < length; ++i) mine[i] = (TYPE)value_of(w->me, i, ++*round);                \
    const int begun = *round - length + 1;                                                        \
    const uint64_t before = signal_before = *signal;                                              \
    shmem_barrier_all();                                                                          \
    CALL(data, mine, size, signal, 10, SHMEM_SIGNAL_ADD, w->next);                                \
    CHECK(shmem_signal_wait_until(signal, SHMEM_CMP_NE, before) == before + 10);                  \
    CHECK(shmem_signal_fetch(signal) == before + 10);                                             \
    for (int i = 0; i < length; ++i) CHECK(data[i] == (TYPE)value_of(w->previous, i, begun + i)); \
    shmem_quiet();                                                                                \
    shmem_barrier_all();                                                                          \
  }
#define TEST_TYPE(NAME, TYPE)                                                                     \
  static void set_##NAME(TYPE* dest, const TYPE* source, size_t n, uint64_t* signal, uint64_t by, \
                         int op, int pe) {                                                        \
    (void)op;                                                                                     \
    shmem_ctx_##NAME##_put_signal(SHMEM_CTX_DEFAULT, dest, source, n, signal, signal_before + by, \
                                  SHMEM_SIGNAL_SET, pe);                                          \
  }                                                                                               \
  static void set_##NAME##_nbi(TYPE* dest, const TYPE* source, size_t n, uint64_t* signal,        \
                               uint64_t by, int op, int pe) {                                     \
    (void)op;                                                                                     \
    shmem_ctx_##NAME##_put_signal_nbi(SHMEM_CTX_DEFAULT, dest, source, n, signal,                 \
                                      signal_before + by, SHMEM_SIGNAL_SET, pe);                  \
  }                                                                                               \
  static void test_##NAME(const struct world* w, TYPE* data, uint64_t* signal, int* round) {      \
    TYPE mine[length];                                                                            \
    TEST_CALL(NAME, TYPE, shmem_##NAME##_put_signal, length)                                      \
    TEST_CALL(NAME, TYPE, shmem_##NAME##_put_signal_nbi, length)                                  \
    TEST_CALL(NAME, TYPE, set_##NAME, length)                                                     \
    TEST_CALL(NAME, TYPE, set_##NAME##_nbi, length)                                               \
  }
DATA_TYPES(TEST_TYPE)

#define TEST_SIZE(BITS, TYPE, n)                                                                  \
  static void test_size_##BITS(const struct world* w, TYPE* data, uint64_t* signal, int* round) { \
    TYPE mine[length];                                                                            \
    TEST_CALL(NAME, TYPE, shmem_put##BITS##_signal, n)                                            \
    TEST_CALL(NAME, TYPE, shmem_put##BITS##_signal_nbi, n)                                        \
  }
TEST_SIZE(8, uint8_t, length)
TEST_SIZE(16, uint16_t, length)
TEST_SIZE(32, uint32_t, length)
TEST_SIZE(64, uint64_t, length)
TEST_SIZE(128, uint64_t, length / 2)
TEST_SIZE(mem, uint64_t, length * 8)

// Larger than any copy that is made at once, from one PE after the other around the ring.
static void test_ring(const struct world* w, unsigned char* data, uint64_t* signal, size_t n) {
  *signal = 0;
  for (size_t i = 0; i < n; ++i) data[i] = w->me == 0 ? (unsigned char)(i * 7) : 0;
  shmem_barrier_all();
  if (w->me != 0) CHECK(shmem_signal_wait_until(signal, SHMEM_CMP_GE, 1) == (uint64_t)w->me);
  for (size_t i = 0; i < n; ++i) CHECK(data[i] == (unsigned char)(i * 7));
  if (w->next != 0)
    shmem_putmem_signal(data, data, n, signal, (uint64_t)w->next, SHMEM_SIGNAL_SET, w->next);
  shmem_barrier_all();
}

void test_signals(const struct world* w) {
  static _Alignas(16) char data_in_statics[length * 16];
  static uint64_t signal_in_statics;
  uint64_t* const signal_in_heap = shmem_calloc(1, sizeof *signal_in_heap);
  char* const data_in_heap = shmem_malloc(sizeof data_in_statics);
  int round = 0;
  for (int i = 0; i < 4; ++i) {
    void* const data = i % 2 == 0 ? data_in_heap : data_in_statics;
    uint64_t* const signal = i < 2 ? signal_in_heap : &signal_in_statics;
#define RUN(NAME, TYPE) test_##NAME(w, data, signal, &round);
    DATA_TYPES(RUN)
    test_size_8(w, data, signal, &round);
    test_size_16(w, data, signal, &round);
    test_size_32(w, data, signal, &round);
    test_size_64(w, data, signal, &round);
    test_size_128(w, data, signal, &round);
    test_size_mem(w, data, signal, &round);
  }
  const size_t n = 300000;
  unsigned char* const much = shmem_malloc(n);
  test_ring(w, much, signal_in_heap, n);
  shmem_free(much);
  shmem_free(data_in_heap);
  shmem_free(signal_in_heap);
}
