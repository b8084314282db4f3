// Teams, and contexts of theirs.
#include <stdlib.h>

#include "tests/shmem/check.h"

static void test_predefined(const struct world* w) {
  CHECK(shmem_team_my_pe(SHMEM_TEAM_WORLD) == w->me);
  CHECK(shmem_team_n_pes(SHMEM_TEAM_WORLD) == w->pes);
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1);
  CHECK(shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
  const int here = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  CHECK(here >= 1 && here <= w->pes);
  int* const in_heap = shmem_malloc(sizeof *in_heap);
  for (int pe = 0; pe < here; ++pe) {
    const int in_world = shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEM_TEAM_WORLD);
    CHECK(in_world >= 0 && in_world < w->pes);
    CHECK(shmem_ptr(in_heap, in_world) != NULL);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, in_world, SHMEM_TEAM_SHARED) == pe);
  }
  shmem_free(in_heap);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, w->pes, SHMEM_TEAM_WORLD) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1);
  shmem_team_config_t config = {77};
  CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0);
  CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, 0, &config) != 0);
  CHECK(shmem_team_sync(SHMEM_TEAM_WORLD) == 0);
  CHECK(shmem_team_sync(SHMEM_TEAM_SHARED) == 0);
}

// PEs first, first + stride, …; each of them puts and adds through a context of the team's.
static void test_split_strided(const struct world* w, int first, int stride, int size) {
  const shmem_team_config_t config = {3};
  shmem_team_t team = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, first, stride, size, &config,
                                 SHMEM_TEAM_NUM_CONTEXTS, &team) == 0);
  int place = -1;
  for (int i = 0; i < size; ++i)
    if (first + i * stride == w->me) place = i;
  CHECK((team != SHMEM_TEAM_INVALID) == (place >= 0));
  CHECK(shmem_team_my_pe(team) == place);
  long* const numbers = shmem_calloc((size_t)w->pes + 1, sizeof *numbers);
  static long sum;
  sum = 0;
  shmem_barrier_all();
  if (place >= 0) {
    shmem_team_config_t found = {0};
    CHECK(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &found) == 0);
    CHECK(found.num_contexts == 3);
    CHECK(shmem_team_n_pes(team) == size);
    for (int i = 0; i < size; ++i)
      CHECK(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD) == first + i * stride);
    for (int pe = 0; pe < w->pes; ++pe) {
      const int there = shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team);
      CHECK(there < 0 || first + there * stride == pe);
    }
    shmem_ctx_t ctx = SHMEM_CTX_INVALID;
    shmem_team_t team_found = SHMEM_TEAM_INVALID;
    CHECK(shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &ctx) == 0);
    CHECK(shmem_ctx_get_team(ctx, &team_found) == 0 && team_found == team);
    for (int i = 0; i < size; ++i) {
      shmem_ctx_long_p(ctx, numbers + place, 100 + place, i);
      shmem_ctx_long_atomic_add(ctx, &sum, 1, i);
      shmem_ctx_quiet(ctx);
      CHECK(shmem_ctx_long_g(ctx, numbers + place, i) == 100 + place);
    }
    shmem_ctx_destroy(ctx);
    CHECK(shmem_team_sync(team) == 0);
    for (int i = 0; i < size; ++i) CHECK(numbers[i] == 100 + i);
    CHECK(sum == size);
  }
  shmem_barrier_all();
  CHECK(place >= 0 || (sum == 0 && numbers[0] == 0));
  shmem_free(numbers);
  shmem_team_destroy(team);
}

static void test_refused(const struct world* w) {
  shmem_team_t team = SHMEM_TEAM_WORLD, other = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, w->pes + 1, NULL, 0, &team) != 0);
  CHECK(team == SHMEM_TEAM_INVALID);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, -1, 1, 1, NULL, 0, &team) != 0);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 0, 2, NULL, 0, &team) != 0);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 0, NULL, 0, &team) != 0);
  CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0);
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, 0, NULL, 0, &team, NULL, 0, &other) != 0);
  CHECK(team == SHMEM_TEAM_INVALID && other == SHMEM_TEAM_INVALID);
  shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_DEFAULT, &team) == 0 && team == SHMEM_TEAM_WORLD);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
}

static void test_2d(const struct world* w, int xrange) {
  shmem_team_t x = SHMEM_TEAM_INVALID, y = SHMEM_TEAM_INVALID;
  CHECK(shmem_team_split_2d(SHMEM_TEAM_WORLD, xrange, NULL, 0, &x, NULL, 0, &y) == 0);
  CHECK(shmem_team_my_pe(x) == w->me % xrange && shmem_team_my_pe(y) == w->me / xrange);
  for (int i = 0; i < shmem_team_n_pes(x); ++i)
    CHECK(shmem_team_translate_pe(x, i, SHMEM_TEAM_WORLD) == w->me / xrange * xrange + i);
  for (int i = 0; i < shmem_team_n_pes(y); ++i)
    CHECK(shmem_team_translate_pe(y, i, SHMEM_TEAM_WORLD) == w->me % xrange + i * xrange);
  shmem_team_destroy(x);
  shmem_team_destroy(y);
}

void test_teams(const struct world* w) {
  test_predefined(w);
  test_refused(w);
  test_split_strided(w, 0, 1, w->pes);
  test_split_strided(w, w->pes - 1, -1, w->pes);
  test_split_strided(w, 0, 2, (w->pes + 1) / 2);
  test_split_strided(w, w->pes - 1, 1, 1);
  for (int xrange = 1; xrange <= w->pes + 1; ++xrange) test_2d(w, xrange);
  // One that is left to shmem_finalize, and a context.
  shmem_team_t team = SHMEM_TEAM_INVALID;
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, w->pes, NULL, 0, &team) == 0);
  CHECK(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &ctx) == 0);
  static long number;
  shmem_ctx_long_p(ctx, &number, w->me, w->next);
  shmem_ctx_quiet(ctx);
  shmem_barrier_all();
  CHECK(number == w->previous);
  shmem_ctx_destroy(ctx);
}
