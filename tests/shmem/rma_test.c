// put, get, p, g and their forms, of every type, on memory of the heap and on static variables.
#include <string.h>

#include "tests/shmem/check.h"

enum { row = 13 };

// What element `i` of the row that PE `from` gives to PE `to` holds; `round` varies it.
static int value_of(int from, int to, int i, int round) {
  return (from * 31 + to * 7 + i * 3 + round) % 100;
}

// PE `me` gives each PE a row of its own, in `all`, of which there is one for each PE.
#define TEST_TYPE(NAME, TYPE)                                                          \
  static void check_rows_##NAME(const struct world* w, const TYPE* all, int round) {   \
    shmem_barrier_all();                                                               \
    for (int pe = 0; pe < w->pes; ++pe)                                                \
      for (int i = 0; i < row; ++i)                                                    \
        CHECK(all[pe * row + i] == (TYPE)value_of(pe, w->me, i, round));               \
    shmem_barrier_all();                                                               \
  }                                                                                    \
  static void fill_##NAME(const struct world* w, TYPE* mine, int to, int round) {      \
    for (int i = 0; i < row; ++i) mine[i] = (TYPE)value_of(w->me, to, i, round);       \
  }                                                                                    \
  static void test_on_##NAME(const struct world* w, TYPE* all) {                       \
    TYPE mine[row], others[8 * row];                                                   \
    TYPE* const from_me = all + w->me * row;                                           \
    for (int pe = 0; pe < w->pes; ++pe) {                                              \
      fill_##NAME(w, mine, pe, 0);                                                     \
      shmem_##NAME##_put(from_me, mine, row, pe);                                      \
      memset(mine, 0, sizeof mine);                                                    \
    }                                                                                  \
    check_rows_##NAME(w, all, 0);                                                      \
    for (int pe = 0; pe < w->pes; ++pe) {                                              \
      fill_##NAME(w, others + pe * row, pe, 1);                                        \
      shmem_##NAME##_put_nbi(from_me, others + pe * row, row, pe);                     \
    }                                                                                  \
    shmem_quiet();                                                                     \
    check_rows_##NAME(w, all, 1);                                                      \
    for (int pe = 0; pe < w->pes; ++pe)                                                \
      for (int i = 0; i < row; ++i)                                                    \
        shmem_##NAME##_p(from_me + i, (TYPE)value_of(w->me, pe, i, 2), pe);            \
    check_rows_##NAME(w, all, 2);                                                      \
    for (int pe = 0; pe < w->pes; ++pe) {                                              \
      shmem_##NAME##_get(mine, from_me, row, pe);                                      \
      for (int i = 0; i < row; ++i) CHECK(mine[i] == (TYPE)value_of(w->me, pe, i, 2)); \
      for (int i = 0; i < row; ++i)                                                    \
        CHECK(shmem_##NAME##_g(from_me + i, pe) == (TYPE)value_of(w->me, pe, i, 2));   \
      shmem_##NAME##_get_nbi(others + pe * row, from_me, row, pe);                     \
    }                                                                                  \
    shmem_quiet();                                                                     \
    for (int pe = 0; pe < w->pes; ++pe)                                                \
      for (int i = 0; i < row; ++i)                                                    \
        CHECK(others[pe * row + i] == (TYPE)value_of(w->me, pe, i, 2));                \
    fill_##NAME(w, mine, w->next, 3);                                                  \
    shmem_ctx_##NAME##_put(SHMEM_CTX_DEFAULT, from_me, mine, row, w->next);            \
    shmem_ctx_quiet(SHMEM_CTX_DEFAULT);                                                \
    shmem_ctx_##NAME##_get(SHMEM_CTX_DEFAULT, others, from_me, row, w->next);          \
    CHECK(memcmp(mine, others, sizeof(TYPE) > 10 ? 0 : sizeof mine) == 0);             \
    shmem_ctx_##NAME##_p(SHMEM_CTX_DEFAULT, from_me, (TYPE)77, w->next);               \
    shmem_ctx_fence(SHMEM_CTX_DEFAULT);                                                \
    shmem_quiet();                                                                     \
    CHECK(shmem_ctx_##NAME##_g(SHMEM_CTX_DEFAULT, from_me, w->next) == (TYPE)77);      \
    shmem_##NAME##_put(from_me, mine, 0, w->next);                                     \
    shmem_##NAME##_get(mine, from_me, 0, w->next);                                     \
    shmem_barrier_all();                                                               \
  }                                                                                    \
  static TYPE static_rows_##NAME[8 * row];                                             \
  static void test_##NAME(const struct world* w) {                                     \
    test_on_##NAME(w, static_rows_##NAME);                                             \
    TYPE* const rows = shmem_malloc((size_t)w->pes * row * sizeof(TYPE));              \
    test_on_##NAME(w, rows);                                                           \
    shmem_free(rows);                                                                  \
  }
DATA_TYPES(TEST_TYPE)

// put8 to put128, and putmem: `bytes` of an element.
#define TEST_MOVES(NAME, PUT, GET, bytes)                                    \
  static void test_moves_##NAME(const struct world* w, unsigned char* all) { \
    unsigned char mine[row * 16], back[row * 16], later[row * 16];           \
    unsigned char* const from_me = all + (size_t)w->me * sizeof mine;        \
    for (int pe = 0; pe < w->pes; ++pe) {                                    \
      for (int i = 0; i < row * (bytes); ++i)                                \
        mine[i] = (unsigned char)value_of(w->me, pe, i, bytes);              \
      shmem_##PUT(from_me, mine, row, pe);                                   \
      shmem_quiet();                                                         \
      shmem_##GET(back, from_me, row, pe);                                   \
      CHECK(memcmp(mine, back, row*(bytes)) == 0);                           \
      for (int i = 0; i < row * (bytes); ++i) mine[i] ^= 0x5a;               \
      shmem_##PUT##_nbi(from_me, mine, row, pe);                             \
      shmem_quiet();                                                         \
      shmem_##GET##_nbi(later, from_me, row, pe);                            \
      shmem_ctx_##GET(SHMEM_CTX_DEFAULT, back, from_me, row, pe);            \
      shmem_quiet();                                                         \
      CHECK(memcmp(mine, back, row*(bytes)) == 0);                           \
      CHECK(memcmp(mine, later, row*(bytes)) == 0);                          \
    }                                                                        \
    shmem_barrier_all();                                                     \
    for (int pe = 0; pe < w->pes; ++pe)                                      \
      for (int i = 0; i < row * (bytes); ++i)                                \
        CHECK(all[(size_t)pe * sizeof mine + (size_t)i] ==                   \
              (value_of(pe, w->me, i, bytes) ^ 0x5a));                       \
    shmem_barrier_all();                                                     \
  }
TEST_MOVES(mem, putmem, getmem, 1)
TEST_MOVES(8, put8, get8, 1)
TEST_MOVES(16, put16, get16, 2)
TEST_MOVES(32, put32, get32, 4)
TEST_MOVES(64, put64, get64, 8)
TEST_MOVES(128, put128, get128, 16)

void test_rma(const struct world* w) {
#define RUN(NAME, TYPE) test_##NAME(w);
  DATA_TYPES(RUN)
  static _Alignas(16) unsigned char statics[8 * row * 16];
  unsigned char* const rows = shmem_malloc(sizeof statics);
  for (int on_heap = 0; on_heap < 2; ++on_heap) {
    unsigned char* const all = on_heap ? rows : statics;
    test_moves_mem(w, all);
    test_moves_8(w, all);
    test_moves_16(w, all);
    test_moves_32(w, all);
    test_moves_64(w, all);
    test_moves_128(w, all);
  }
  shmem_free(rows);
}
