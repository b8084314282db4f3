// Lists go round: rank j of the list is the one j beyond this one, so that some are of this node
// and some of others wherever there are several.
#include <string.h>

#include "tests/capi/check.h"

enum { most_ranks = 8, mine = 100 };

struct list {
  size_t n;
  int ranks[most_ranks];
  int64_t disps[most_ranks];
  int64_t values[most_ranks];
  int64_t results[most_ranks];
};

// Of element `disp` of every rank, with a value of this rank's for each.
static struct list list_of_all(const struct world* w, int64_t disp) {
  struct list all;
  all.n = (size_t)w->ranks;
  for (int j = 0; j < w->ranks; ++j) {
    all.ranks[j] = (w->me + j) % w->ranks;
    all.disps[j] = disp;
    all.values[j] = mine * w->me + all.ranks[j];
    all.results[j] = -1;
  }
  return all;
}

static void flush_and_meet(const struct world* w, oriel_window* window) {
  OK(oriel_window_flush_all(window));
  OK(oriel_team_barrier(w->team));
}

// Every rank has an element of its own at each.
static void test_data(const struct world* w, oriel_window* window) {
  struct list l = list_of_all(w, w->me);
  OK(oriel_window_scatter(window, l.n, l.ranks, l.disps, l.values));
  flush_and_meet(w, window);
  OK(oriel_window_gather(window, l.n, l.ranks, l.disps, l.results));
  OK(oriel_window_flush_local_all(window));
  for (size_t j = 0; j < l.n; ++j) CHECK(l.results[j] == l.values[j]);
  // And they lie where they were put.
  for (int from = 0; from < w->ranks; ++from) {
    int64_t found = -1;
    OK(oriel_window_get(window, w->me, from, &found, 1));
    OK(oriel_window_flush_local(window, w->me));
    CHECK(found == mine * from + w->me);
  }
  flush_and_meet(w, window);
}

static void test_atomics(const struct world* w, oriel_window* window) {
  enum { sums = row - 2, swapped = row - 1 };
  struct list l = list_of_all(w, sums);
  int64_t none[most_ranks] = {0};
  int64_t total = 0;
  for (size_t j = 0; j < l.n; ++j) l.values[j] = w->me + 1;
  OK(oriel_window_accumulate_list(window, ORIEL_OP_SUM, l.n, l.ranks, l.disps, l.values));
  flush_and_meet(w, window);
  for (int r = 0; r < w->ranks; ++r) total += r + 1;
  OK(oriel_window_fetch_op_list(window, ORIEL_OP_NO_OP, l.n, l.ranks, l.disps, NULL, l.results));
  flush_and_meet(w, window);
  for (size_t j = 0; j < l.n; ++j) CHECK(l.results[j] == total);

  // What was there before: what others have added, in some order.
  OK(oriel_window_fetch_op_list(window, ORIEL_OP_SUM, l.n, l.ranks, l.disps, l.values, l.results));
  flush_and_meet(w, window);
  for (size_t j = 0; j < l.n; ++j) CHECK(l.results[j] >= total && l.results[j] < 2 * total);

  // One rank's swap finds the 0 that all expect.
  for (size_t j = 0; j < l.n; ++j) l.disps[j] = swapped;
  OK(oriel_window_compare_swap_list(window, l.n, l.ranks, l.disps, none, l.values, l.results));
  flush_and_meet(w, window);
  for (size_t j = 0; j < l.n; ++j) {
    int64_t there = 0;
    OK(oriel_window_get_nbi(window, l.ranks[j], swapped, &there));
    OK(oriel_window_flush_local(window, l.ranks[j]));
    CHECK(there >= 1 && there <= w->ranks);
    CHECK(l.results[j] == (there == w->me + 1 ? 0 : there));
  }
  flush_and_meet(w, window);
}

// On the next rank's elements, which no other works on.
static void test_deferred(const struct world* w, oriel_window* window) {
  const int64_t two = 2;
  const int64_t three = 3;
  const int64_t five = 5;
  int64_t before[3] = {-1, -1, -1};
  OK(oriel_window_put(window, w->next, 0, &two, 1));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_fetch_op_nbi(window, ORIEL_OP_SUM, w->next, 0, &three, &before[0]));
  OK(oriel_window_flush_local(window, w->next));
  OK(oriel_window_compare_swap_nbi(window, w->next, 0, &five, &two, &before[1]));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_get_nbi(window, w->next, 0, &before[2]));
  OK(oriel_window_flush_local(window, w->next));
  CHECK(before[0] == 2 && before[1] == 5 && before[2] == 2);
  flush_and_meet(w, window);
}

static void test_refused(const struct world* w) {
  oriel_window* const window = open_window(w, 0, 1 << ORIEL_OP_MAX);
  struct list l = list_of_all(w, 0);
  int64_t value = 7;
  int on_node = 1;
  for (int op = -1; op <= 256; op += 257) {
    CHECK_CODE(ORIEL_ERR_OP,
               oriel_window_accumulate_list(window, op, l.n, l.ranks, l.disps, l.values));
    CHECK_CODE(ORIEL_ERR_OP,
               oriel_window_fetch_op_list(window, op, l.n, l.ranks, l.disps, l.values, l.results));
    CHECK_CODE(ORIEL_ERR_OP, oriel_window_fetch_op_nbi(window, op, w->next, 0, &value, &value));
  }
  CHECK_SAYS(oriel_last_error(), "256 is no operation");
  CHECK_CODE(ORIEL_ERR_OP,
             oriel_window_accumulate_list(window, ORIEL_OP_SUM, l.n, l.ranks, l.disps, l.values));
  CHECK_SAYS(oriel_last_error(), "sum");
  OK(oriel_window_clear_failure(window));
  CHECK(l.results[0] == -1 && value == 7);
  OK(oriel_window_scatter(window, 0, NULL, NULL, NULL));

  // What is not exposed, by a rank of another node.
  OK(oriel_team_on_node(w->team, w->next, &on_node));
  if (!on_node) {
    const int64_t beyond[2] = {row, -1};
    for (int j = 0; j < 2; ++j) {
      CHECK_CODE(ORIEL_ERR_RMA_RANGE,
                 oriel_window_scatter(window, 1, &w->next, &beyond[j], &value));
      OK(oriel_window_clear_failure(window));
    }
  }
  close_window(w, window);
}

// Windows of fences alone serve other nodes while they wait, unless this is asked for.
static void test_served(const struct world* w, const oriel_datatype* base) {
  oriel_window* window = NULL;
  char text[4096] = "";
  const oriel_window_options options = {.struct_size = sizeof options, .asynchronous_progress = 1};
  OK(oriel_window_allocate(w->team, row, base, ORIEL_ASSERT_FENCE, &options, &window));
  OK(oriel_window_explain(window, text, sizeof text, NULL));
  CHECK(strstr(text, "while they wait") == NULL);
  OK(oriel_window_free(window));
}

static void test_gathered(const struct world* w) {
  oriel_window* window = NULL;
  oriel_datatype* base = NULL;
  oriel_info* hints = NULL;
  char text[8] = "";
  const oriel_window_options options = {.struct_size = sizeof options, .aggregate = 1};
  OK(oriel_datatype_of(ORIEL_INT64, &base));
  OK(oriel_window_allocate(
      w->team, row, base,
      ORIEL_ASSERT_SHARED_LOCK | ORIEL_ASSERT_NOTIFY | ORIEL_ASSERT_ORDERED_NOTIFY, &options,
      &window));
  test_served(w, base);
  OK(oriel_datatype_free(base));
  OK(oriel_window_hints(window, &hints));
  OK(oriel_info_get(hints, "oriel_aggregate", text, sizeof text, NULL));
  CHECK(strcmp(text, "true") == 0);
  OK(oriel_info_free(hints));
  OK(oriel_window_lock_all(window, ORIEL_MODE_NONE));
  test_data(w, window);
  test_deferred(w, window);
  close_window(w, window);
}

void test_list_operations(const struct world* w) {
  oriel_window* const window = open_window(w, 0, 0);
  CHECK(w->ranks <= row - 2);
  test_data(w, window);
  test_atomics(w, window);
  test_deferred(w, window);
  close_window(w, window);
  test_gathered(w);
  test_refused(w);
}
