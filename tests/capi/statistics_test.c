#include <string.h>

#include "tests/capi/check.h"

static uint64_t operations_of(const oriel_window_counts* c, int kind) {
  uint64_t sum = 0;
  int route;
  for (route = 0; route < ORIEL_STATISTICS_ROUTES; ++route) sum += c->operations[kind][route];
  return sum;
}

static uint64_t bytes_of(const oriel_window_counts* c, int kind) {
  uint64_t sum = 0;
  int route;
  for (route = 0; route < ORIEL_STATISTICS_ROUTES; ++route) sum += c->bytes[kind][route];
  return sum;
}

void test_statistics(const struct world* w) {
  oriel_window* window = open_window(w, ORIEL_ASSERT_MULTI_ELEMENT, 0);
  oriel_window_counts counts;
  const int64_t two[2] = {1, 2};
  int64_t found = 0;
  int i;
  for (i = 0; i < 3; ++i) OK(oriel_window_put(window, w->next, 0, two, 2));
  OK(oriel_window_flush_all(window));
  memset(&counts, 0, sizeof counts);
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_statistics(window, &counts));
  CHECK_SAYS(oriel_last_error(), "struct_size");
  counts.struct_size = sizeof counts;
  OK(oriel_window_statistics(window, &counts));
  CHECK(operations_of(&counts, ORIEL_STATISTICS_PUT) == 3);
  CHECK(bytes_of(&counts, ORIEL_STATISTICS_PUT) == 3 * sizeof two);
  CHECK(operations_of(&counts, ORIEL_STATISTICS_GET) == 0);
  CHECK(counts.by_size[1] == 3);
  CHECK(counts.packets == 0);
  if (w->ranks == 1) CHECK(counts.retries == 0 && counts.messages == 0);
  // A program that was built when the struct ended before its last member.
  counts.struct_size = offsetof(oriel_window_counts, messages);
  counts.messages = 77;
  OK(oriel_window_statistics(window, &counts));
  CHECK(operations_of(&counts, ORIEL_STATISTICS_PUT) == 3);
  CHECK(counts.messages == 77);
  counts.struct_size = sizeof counts + 8;
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_statistics(window, &counts));
  counts.struct_size = sizeof counts;
  if (w->ranks == 1) CHECK(counts.operations[ORIEL_STATISTICS_PUT][ORIEL_ROUTE_SELF] == 3);
  for (i = 0; i < 1000; ++i) OK(oriel_window_put(window, w->next, 0, two, 1));
  for (i = 0; i < 500; ++i) OK(oriel_window_get(window, w->next, 0, &found, 1));
  OK(oriel_window_flush_all(window));
  OK(oriel_window_statistics(window, &counts));
  CHECK(operations_of(&counts, ORIEL_STATISTICS_PUT) == 1003);
  CHECK(bytes_of(&counts, ORIEL_STATISTICS_PUT) == 3 * sizeof two + 1000 * sizeof found);
  CHECK(operations_of(&counts, ORIEL_STATISTICS_GET) == 500);
  CHECK(counts.by_size[0] == 1500);
  close_window(w, window);
}
