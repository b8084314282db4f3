#include <stdlib.h>
#include <string.h>

#include "tests/capi/check.h"

static void test_collectives(const struct world* w) {
  struct {
    double value;
    int place;
  } mine = {0, 0}, largest = {0, 0};
  const float number = (float)(w->me + 1);
  float sum = 0;
  int root = w->me;
  int* const all = calloc((size_t)w->ranks, sizeof *all);
  if (all == NULL) abort();
  mine.value = w->me % 2 == 0 ? 8.5 : 2.0;
  mine.place = w->me;
  OK(oriel_team_barrier(w->team));
  OK(oriel_team_broadcast(w->team, &root, sizeof root, w->ranks - 1));
  CHECK(root == w->ranks - 1);
  CHECK_CODE(ORIEL_ERR_RANK, oriel_team_broadcast(w->team, &root, sizeof root, w->ranks));
  CHECK_SAYS(oriel_last_error(), "broadcast from rank");
  OK(oriel_team_allgather(w->team, &w->me, sizeof w->me, all));
  for (int r = 0; r < w->ranks; ++r) CHECK(all[r] == r);
  OK(oriel_team_allreduce(w->team, ORIEL_OP_SUM, ORIEL_FLOAT32, &number, &sum));
  CHECK(sum == (float)(w->ranks * (w->ranks + 1) / 2));
  OK(oriel_team_allreduce(w->team, ORIEL_OP_MAXLOC, ORIEL_DOUBLE_INT, &mine, &largest));
  CHECK(largest.value == 8.5 && largest.place == 0);
  CHECK_CODE(ORIEL_ERR_OP,
             oriel_team_allreduce(w->team, ORIEL_OP_BAND, ORIEL_FLOAT32, &number, &sum));
  CHECK_SAYS(oriel_last_error(), "band is not defined on float ");
  CHECK_CODE(ORIEL_ERR_OP,
             oriel_team_allreduce(w->team, ORIEL_OP_REPLACE, ORIEL_OPAQUE, &number, &sum));
  CHECK_CODE(ORIEL_ERR_OP, oriel_team_allreduce(w->team, 256, ORIEL_FLOAT32, &number, &sum));
  CHECK_CODE(ORIEL_ERR_TYPE, oriel_team_allreduce(w->team, ORIEL_OP_SUM, 256, &number, &sum));
  free(all);
}

static void test_parts(const struct world* w) {
  oriel_team* part = NULL;
  oriel_team* const somewhere = w->team;
  int chosen[2];
  int size = 0;
  int rank = -1;
  // Backwards.
  OK(oriel_team_split(w->team, w->me % 2, -w->me, &part));
  OK(oriel_team_size(part, &size));
  OK(oriel_team_rank(part, &rank));
  CHECK(size == (w->ranks + 1 - w->me % 2) / 2 && rank == size - 1 - w->me / 2);
  OK(oriel_team_world_rank(part, rank, &rank));
  CHECK(rank == w->me);
  OK(oriel_team_free(part));
  part = somewhere;
  OK(oriel_team_split(w->team, w->me == 0 ? 1 : -1, 0, &part));
  CHECK((part != NULL) == (w->me == 0));
  OK(oriel_team_free(part));

  chosen[0] = w->ranks - 1;
  chosen[1] = 0;
  OK(oriel_team_subset(w->team, w->ranks == 1 ? 1 : 2, chosen, &part));
  CHECK((part != NULL) == (w->me == 0 || w->me == w->ranks - 1));
  if (part != NULL) {
    OK(oriel_team_rank(part, &rank));
    CHECK(rank == (w->me == w->ranks - 1 ? 0 : 1));
  }
  OK(oriel_team_free(part));
  part = somewhere;
  chosen[1] = w->ranks;
  CHECK_CODE(ORIEL_ERR_RANK, oriel_team_subset(w->team, 2, chosen, &part));
  CHECK_SAYS(oriel_last_error(), "is not in this team");
  CHECK(part == somewhere);

  OK(oriel_team_shrink(w->team, &part));
  OK(oriel_team_size(part, &size));
  CHECK(size == w->ranks);
  OK(oriel_team_free(part));
}

static void test_hints(const struct world* w) {
  oriel_team* part = NULL;
  oriel_info* hints = NULL;
  char text[32];
  OK(oriel_team_split(w->team, 0, w->me, &part));
  OK(oriel_team_assert_memory_alloc_kinds(part, "system"));
  OK(oriel_team_hints(part, &hints));
  OK(oriel_info_get(hints, "mpi_assert_memory_alloc_kinds", text, sizeof text, NULL));
  CHECK(strcmp(text, "system") == 0);
  OK(oriel_info_free(hints));
  OK(oriel_team_assert_memory_alloc_kinds(part, NULL));
  OK(oriel_team_hints(part, &hints));
  CHECK_CODE(ORIEL_ERR_INFO,
             oriel_info_get(hints, "mpi_assert_memory_alloc_kinds", text, sizeof text, NULL));
  OK(oriel_info_free(hints));
  OK(oriel_team_free(part));
}

void test_team(const struct world* w) {
  int answer = -1;
  OK(oriel_team_on_node(w->team, w->me, &answer));
  CHECK(answer == 1);
  CHECK_CODE(ORIEL_ERR_RANK, oriel_team_on_node(w->team, w->ranks, &answer));
  CHECK_CODE(ORIEL_ERR_RANK, oriel_team_world_rank(w->team, -1, &answer));
  CHECK(answer == 1);
  test_collectives(w);
  test_parts(w);
  test_hints(w);
}
