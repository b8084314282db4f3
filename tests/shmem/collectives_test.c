// Collectives that move data, of the world and of teams within it: every type with few elements,
// and bytes with as many as take several steps. What lies behind `dest` stays as it is.
#include <string.h>

#include "tests/shmem/check.h"

enum { few = 3, many = 5000, most_pes = 8 };

// What PE `pe` of a team gives for place `i` of those of PE `to`.
static int value(int pe, int to, int i) {
  return 1 + (pe * 31 + to * 7 + i) % 100;
}

// `dest` has room for few * 2 * pes + 1 elements, as `source` has.
#define TEST_TYPE(NAME, TYPE)                                                                \
  static void test_##NAME(shmem_team_t team, void* dest_memory, void* source_memory) {       \
    TYPE *const dest = dest_memory, *const source = source_memory;                           \
    const int me = shmem_team_my_pe(team), pes = shmem_team_n_pes(team), root = pes - 1;     \
    for (int pe = 0; pe < pes; ++pe)                                                         \
      for (int i = 0; i < few; ++i) source[pe * few + i] = (TYPE)value(me, pe, i);           \
    for (int i = 0; i <= few * 2 * pes; ++i) dest[i] = (TYPE)127;                            \
    shmem_team_sync(team);                                                                   \
    CHECK(shmem_##NAME##_broadcast(team, dest, source, few, root) == 0);                     \
    for (int i = 0; i < few; ++i) CHECK(dest[i] == (TYPE)value(root, 0, i));                 \
    CHECK(dest[few] == (TYPE)127);                                                           \
    shmem_team_sync(team);                                                                   \
    CHECK(shmem_##NAME##_fcollect(team, dest, source, few) == 0);                            \
    for (int i = 0; i < few * pes; ++i) CHECK(dest[i] == (TYPE)value(i / few, 0, i % few));  \
    CHECK(dest[few * pes] == (TYPE)127);                                                     \
    shmem_team_sync(team);                                                                   \
    CHECK(shmem_##NAME##_alltoall(team, dest, source, few) == 0);                            \
    for (int i = 0; i < few * pes; ++i) CHECK(dest[i] == (TYPE)value(i / few, me, i % few)); \
    CHECK(dest[few * pes] == (TYPE)127);                                                     \
    shmem_team_sync(team);                                                                   \
    /* PE 0 gives none, PE 1 one, and so on in turn. */                                      \
    CHECK(shmem_##NAME##_collect(team, dest, source, (size_t)(me % (few + 1))) == 0);        \
    int at = 0;                                                                              \
    for (int pe = 0; pe < pes; ++pe)                                                         \
      for (int i = 0; i < pe % (few + 1); ++i) CHECK(dest[at++] == (TYPE)value(pe, 0, i));   \
    shmem_team_sync(team);                                                                   \
    for (int i = 0; i <= few * 2 * pes; ++i) dest[i] = (TYPE)127;                            \
    for (int i = 0; i < few * 2 * pes; ++i) source[i] = (TYPE)value(me, i / few, i % few);   \
    shmem_team_sync(team);                                                                   \
    /* One of two elements there, every one here, and the other way around. */               \
    CHECK(shmem_##NAME##_alltoalls(team, dest, source, 2, 1, few) == 0);                     \
    for (int i = 0; i < few * 2 * pes; ++i)                                                  \
      CHECK(dest[i] == (TYPE)(i % 2 != 0 ? 127 : value(i / 2 / few, me, i / 2 % few)));      \
    shmem_team_sync(team);                                                                   \
    CHECK(shmem_##NAME##_alltoalls(team, dest, source, 1, 2, few) == 0);                     \
    for (int i = 0; i < few * pes; ++i) {                                                    \
      const int there = (me * few + i % few) * 2;                                            \
      CHECK(dest[i] == (TYPE)value(i / few, there / few, there % few));                      \
    }                                                                                        \
    shmem_team_sync(team);                                                                   \
  }
DATA_TYPES(TEST_TYPE)

static unsigned char byte_of(int pe, int i) {
  return (unsigned char)(pe * 41 + i * 7 + i / 256);
}
static int are_of(const unsigned char* bytes, int pe, int from, int n) {
  for (int i = 0; i < n; ++i)
    if (bytes[i] != byte_of(pe, from + i)) return 0;
  return 1;
}

// `dest` and `source` have many * pes + 1 bytes.
static void test_bytes(shmem_team_t team, unsigned char* dest, unsigned char* source) {
  const int me = shmem_team_my_pe(team), pes = shmem_team_n_pes(team);
  for (int i = 0; i < many * pes; ++i) source[i] = byte_of(me, i);
  memset(dest, 1, (size_t)many * (size_t)pes + 1);
  for (int root = 0; root < pes; ++root) {
    shmem_team_sync(team);
    CHECK(shmem_broadcastmem(team, dest, source, many, root) == 0);
    CHECK(are_of(dest, root, 0, many));
  }
  shmem_team_sync(team);
  CHECK(shmem_fcollectmem(team, dest, source, many) == 0);
  for (int pe = 0; pe < pes; ++pe) CHECK(are_of(dest + pe * many, pe, 0, many));
  shmem_team_sync(team);
  CHECK(shmem_alltoallmem(team, dest, source, many) == 0);
  for (int pe = 0; pe < pes; ++pe) CHECK(are_of(dest + pe * many, pe, me * many, many));
  shmem_team_sync(team);
  CHECK(shmem_collectmem(team, dest, source, (size_t)(many - me)) == 0);
  for (int pe = 0, at = 0; pe < pes; at += many - pe++) CHECK(are_of(dest + at, pe, 0, many - pe));
  shmem_team_sync(team);
  CHECK(shmem_alltoallsmem(team, dest, source, 1, 1, many) == 0);
  for (int pe = 0; pe < pes; ++pe) CHECK(are_of(dest + pe * many, pe, me * many, many));
  CHECK(dest[many * pes] == 1);
  shmem_team_sync(team);
  // In place, and nothing at all.
  CHECK(shmem_broadcastmem(team, source, source, many, 0) == 0);
  CHECK(are_of(source, 0, 0, many));
  CHECK(shmem_fcollectmem(team, dest, source, 0) == 0);
  CHECK(shmem_collectmem(team, dest, source, 0) == 0);
  CHECK(shmem_alltoallmem(team, dest, source, 0) == 0);
  shmem_team_sync(team);
}

static void test_team(shmem_team_t team, void* dest, void* source) {
#define RUN(NAME, TYPE) test_##NAME(team, dest, source);
  DATA_TYPES(RUN)
  test_bytes(team, dest, source);
}

static long double dest_in_statics[most_pes * many / 16 + 2];
static long double source_in_statics[most_pes * many / 16 + 2];

void test_collectives(const struct world* w) {
  void* const dest = shmem_malloc((size_t)w->pes * many + 16);
  void* const source = shmem_malloc((size_t)w->pes * many + 16);
  test_team(SHMEM_TEAM_WORLD, dest, source);
  if (w->pes <= most_pes) test_team(SHMEM_TEAM_WORLD, dest_in_statics, source_in_statics);
  test_team(SHMEM_TEAM_SHARED, dest, source);
  shmem_team_t backwards = SHMEM_TEAM_INVALID, odd = SHMEM_TEAM_INVALID;
  shmem_team_split_strided(SHMEM_TEAM_WORLD, w->pes - 1, -1, w->pes, NULL, 0, &backwards);
  test_team(backwards, dest, source);
  if (w->pes > 1) shmem_team_split_strided(SHMEM_TEAM_WORLD, 1, 2, w->pes / 2, NULL, 0, &odd);
  if (odd != SHMEM_TEAM_INVALID) test_team(odd, dest, source);
  shmem_barrier_all();
  shmem_team_destroy(odd);
  shmem_team_destroy(backwards);
  shmem_free(source);
  shmem_free(dest);
}
