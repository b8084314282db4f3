#include <string.h>

#include "tests/capi/check.h"

oriel_window* open_window(const struct world* w, int assertions, int ops) {
  oriel_window* window = NULL;
  oriel_datatype* base = NULL;
  oriel_window_options options = {.struct_size = sizeof options, .ops = ops, .notify_counters = 2};
  OK(oriel_datatype_of(ORIEL_INT64, &base));
  OK(oriel_window_allocate(w->team, row, base, assertions | ORIEL_ASSERT_SHARED_LOCK, &options,
                           &window));
  OK(oriel_datatype_free(base));
  OK(oriel_window_lock_all(window, ORIEL_MODE_NONE));
  return window;
}

void close_window(const struct world* w, oriel_window* window) {
  OK(oriel_window_unlock_all(window));
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_free(window));
}

// Every rank works on the next one's elements alone.
static void test_data(const struct world* w, oriel_window* window) {
  const int64_t given[3] = {w->me + 10, w->me + 20, w->me + 30};
  const int64_t added[3] = {1, 2, 3};
  const int64_t two = 2;
  const int64_t expected = 42;
  int64_t got[3] = {0, 0, 0};
  int64_t before[3] = {0, 0, 0};
  OK(oriel_window_put(window, w->next, 1, given, 3));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_get(window, w->next, 1, got, 3));
  OK(oriel_window_flush_local(window, w->next));
  CHECK(memcmp(got, given, sizeof got) == 0);

  OK(oriel_window_accumulate(window, ORIEL_OP_SUM, w->next, 1, added, 3));
  OK(oriel_window_flush_all(window));
  OK(oriel_window_get_accumulate(window, ORIEL_OP_NO_OP, w->next, 1, NULL, before, 3));
  OK(oriel_window_flush_local_all(window));
  for (int i = 0; i < 3; ++i) CHECK(before[i] == given[i] + added[i]);

  OK(oriel_window_put(window, w->next, 0, &expected, 1));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_fetch_op(window, ORIEL_OP_SUM, w->next, 0, &two, before));
  CHECK(before[0] == 42);
  OK(oriel_window_compare_swap(window, w->next, 0, &expected, &two, before));
  CHECK(before[0] == 44);
  OK(oriel_window_compare_swap(window, w->next, 0, before, &two, got));
  CHECK(got[0] == 44);
  OK(oriel_window_get(window, w->next, 0, got, 1));
  OK(oriel_window_flush(window, w->next));
  CHECK(got[0] == 2);
}

// Numbers that are no operation do not come near a table.
static void test_refused(const struct world* w) {
  oriel_window* const window = open_window(w, 0, 1 << ORIEL_OP_MAX);
  int64_t value = 7;
  char text[256];
  for (int op = -1; op <= 256; op += 257) {
    CHECK_CODE(ORIEL_ERR_OP, oriel_window_accumulate(window, op, w->next, 0, &value, 1));
    CHECK_CODE(ORIEL_ERR_OP,
               oriel_window_get_accumulate(window, op, w->next, 0, &value, &value, 1));
    CHECK_CODE(ORIEL_ERR_OP, oriel_window_fetch_op(window, op, w->next, 0, &value, &value));
  }
  CHECK_SAYS(oriel_last_error(), "256 is no operation");
  OK(oriel_window_fetch_op(window, ORIEL_OP_MAX, w->next, 0, &value, &value));
  CHECK(value == 0);
  CHECK_CODE(ORIEL_ERR_OP, oriel_window_fetch_op(window, ORIEL_OP_SUM, w->next, 0, &value, &value));
  OK(oriel_window_failure(window, text, sizeof text, NULL));
  CHECK_SAYS(text, "sum");
  CHECK_SAYS(oriel_last_error(), text);
  OK(oriel_window_clear_failure(window));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_put(window, w->next, 0, &value, 2));
  OK(oriel_window_clear_failure(window));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_put_notify(window, w->next, 0, &value, 1, 0, 1));
  OK(oriel_window_clear_failure(window));
  close_window(w, window);
}

static void test_notification(const struct world* w) {
  oriel_window* const window = open_window(w, ORIEL_ASSERT_NOTIFY | ORIEL_ASSERT_MULTI_ELEMENT, 0);
  const int64_t values[2] = {w->me, w->me + 1};
  int64_t got[2] = {-1, -1};
  uint64_t count = 99;
  OK(oriel_window_notified(window, 0, &count));
  CHECK(count == 0);
  OK(oriel_window_put_notify(window, w->next, 2, values, 2, 1, 1));
  OK(oriel_window_wait_notify(window, 1, 1));
  OK(oriel_window_get(window, w->me, 2, got, 2));
  OK(oriel_window_flush(window, w->me));
  CHECK(got[0] == w->previous && got[1] == w->previous + 1);
  OK(oriel_window_notified(window, 1, &count));
  CHECK(count == 1);
  CHECK(oriel_window_notified(window, 2, &count) != ORIEL_SUCCESS);
  CHECK(count == 1);
  OK(oriel_window_clear_failure(window));
  close_window(w, window);
}

void test_operations(const struct world* w) {
  oriel_window* const window = open_window(w, ORIEL_ASSERT_MULTI_ELEMENT, 0);
  test_data(w, window);
  close_window(w, window);
  test_refused(w);
  test_notification(w);
}
