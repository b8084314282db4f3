#include "tests/capi/check.h"

enum { longest = 20000 };

// A span, which between nodes takes more than one message, and its amount.
static void test_span(const struct world* w) {
  static int64_t values[longest];
  static int64_t got[longest];
  oriel_window* window = NULL;
  oriel_datatype* base = NULL;
  int wrong = 0;
  uint64_t count = 0;
  OK(oriel_datatype_of(ORIEL_INT64, &base));
  OK(oriel_window_allocate(w->team, longest, base,
                           ORIEL_ASSERT_SHARED_LOCK | ORIEL_ASSERT_NOTIFY |
                               ORIEL_ASSERT_ORDERED_NOTIFY | ORIEL_ASSERT_MULTI_ELEMENT,
                           NULL, &window));
  OK(oriel_datatype_free(base));
  OK(oriel_window_lock_all(window, ORIEL_MODE_NONE));
  for (int i = 0; i < longest; ++i) values[i] = w->me + i;
  OK(oriel_window_put_notify(window, w->next, 0, values, longest, 7, 4000000000u));
  for (int i = 0; i < longest; ++i) values[i] = -1;
  OK(oriel_window_wait_notify(window, 7, 4000000000u));
  OK(oriel_window_get(window, w->me, 0, got, longest));
  OK(oriel_window_flush(window, w->me));
  for (int i = 0; i < longest; ++i) wrong += got[i] != w->previous + i;
  CHECK(wrong == 0);
  OK(oriel_window_notified(window, 7, &count));
  CHECK(count == 4000000000u);
  close_window(w, window);
}

static void test_alone(const struct world* w, oriel_window* window) {
  uint64_t count = 99;
  // None has notified anybody: a limited wait ends, and the window has not failed.
  CHECK_CODE(ORIEL_ERR_TIMED_OUT, oriel_window_wait_notify_for(window, 1, 1, 20));
  OK(oriel_window_flush_all(window));
  OK(oriel_team_barrier(w->team));

  OK(oriel_window_notify(window, w->next, 1, 5));
  OK(oriel_window_notify(window, w->next, 1, 2));
  OK(oriel_window_wait_notify_for(window, 1, 7, 30000));
  OK(oriel_window_take_notified(window, 1, &count));
  CHECK(count == 7);
  OK(oriel_window_notified(window, 1, &count));
  CHECK(count == 0);
  OK(oriel_team_barrier(w->team));

  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_take_notified(window, 2, &count));
  CHECK(count == 0);
  OK(oriel_window_clear_failure(window));
}

static void test_any(const struct world* w, oriel_window* window) {
  const uint64_t one_each[2] = {1, 1};
  const uint64_t second[2] = {UINT64_MAX, 1};
  size_t counter = 99;
  uint64_t count = 0;
  CHECK_CODE(ORIEL_ERR_TIMED_OUT,
             oriel_window_wait_notify_any_for(window, 0, 2, one_each, 20, &counter));
  CHECK(counter == 99);
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_notify(window, w->next, 1, 1));
  OK(oriel_window_wait_notify_any(window, 0, 2, one_each, &counter));
  CHECK(counter == 1);
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_notify(window, w->next, 0, 1));
  OK(oriel_window_wait_notify(window, 0, 1));
  OK(oriel_window_wait_notify_any_for(window, 0, 2, second, 30000, &counter));
  CHECK(counter == 1);
  OK(oriel_window_wait_notify_any(window, 0, 2, one_each, &counter));
  CHECK(counter == 0);
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_wait_notify_any(window, 0, 0, one_each, &counter));
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_wait_notify_any(window, 1, 2, one_each, &counter));
  OK(oriel_window_clear_failure(window));
  for (size_t c = 0; c < 2; ++c) OK(oriel_window_take_notified(window, c, &count));
  OK(oriel_team_barrier(w->team));
}

// A rank waits for the count of one that was refused to it.
static void test_refused(const struct world* w, oriel_window* window) {
  const int64_t value = 1;
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_notify(window, w->next, 0, 0));
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_notify(window, w->next, 2, 1));
  CHECK_CODE(ORIEL_ERR_RANK, oriel_window_notify(window, w->ranks, 0, 1));
  CHECK_SAYS(oriel_last_error(), "put_notify");
  OK(oriel_window_clear_failure(window));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_put_notify(window, w->next, 0, &value, 2, 0, 3));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_wait_notify_for(window, 0, 3, 30000));
  OK(oriel_window_clear_failure(window));
}

// Two of every three elements to every other one.
static void test_strided(const struct world* w) {
  oriel_window* const window = open_window(w, ORIEL_ASSERT_NOTIFY | ORIEL_ASSERT_USER_DATATYPE, 0);
  const int64_t given[6] = {w->me, w->me + 1, -1, w->me + 2, w->me + 3, -1};
  int64_t element = -1;
  oriel_datatype* base = NULL;
  oriel_datatype* pairs = NULL;
  oriel_datatype* every_other = NULL;
  OK(oriel_datatype_of(ORIEL_INT64, &base));
  OK(oriel_datatype_vector(2, 2, 3, base, &pairs));
  OK(oriel_datatype_vector(4, 1, 2, base, &every_other));
  OK(oriel_window_put_notify_typed(window, w->next, 0, given, 1, pairs, 1, every_other, 1, 4));
  OK(oriel_window_wait_notify(window, 1, 4));
  for (int i = 0; i < row; ++i) {
    OK(oriel_window_get(window, w->me, i, &element, 1));
    OK(oriel_window_flush(window, w->me));
    CHECK(element == (i % 2 == 0 ? w->previous + i / 2 : 0));
  }
  OK(oriel_datatype_free(every_other));
  OK(oriel_datatype_free(pairs));
  OK(oriel_datatype_free(base));
  close_window(w, window);
}

void test_notifications(const struct world* w) {
  oriel_window* const window = open_window(w, ORIEL_ASSERT_NOTIFY, 0);
  test_alone(w, window);
  test_any(w, window);
  test_refused(w, window);
  close_window(w, window);
  test_span(w);
  test_strided(w);
}
