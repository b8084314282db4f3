#include <string.h>

#include "tests/capi/check.h"

enum { many = 1000 };

static oriel_window* allocate(const struct world* w, int assertions) {
  oriel_window* window = NULL;
  oriel_datatype* base = NULL;
  OK(oriel_datatype_of(ORIEL_INT64, &base));
  OK(oriel_window_allocate(w->team, many, base, assertions, NULL, &window));
  OK(oriel_datatype_free(base));
  return window;
}

// A request is null exactly where the operation was complete at once, on this node always.
void test_requests(const struct world* w) {
  oriel_window* const window = allocate(w, ORIEL_ASSERT_SHARED_LOCK | ORIEL_ASSERT_MULTI_ELEMENT);
  static oriel_request* requests[many];
  static int64_t values[many];
  static int64_t got[many];
  int64_t one = 1;
  int64_t before = -1;
  int done = -1;
  int on_node = 0;
  OK(oriel_team_on_node(w->team, w->next, &on_node));
  OK(oriel_window_lock_all(window, ORIEL_MODE_NONE));
  for (int i = 0; i < many; ++i) {
    values[i] = w->me * many + i;
    OK(oriel_window_rput(window, w->next, i, values + i, 1, requests + i));
    CHECK(!on_node || requests[i] == NULL);
  }
  OK(oriel_request_wait_all(many, requests));
  for (int i = 0; i < many; ++i) CHECK(requests[i] == NULL);
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_rget(window, w->next, 0, got, many, requests));
  do {
    OK(oriel_request_test(requests[0], &done));
  } while (!done);
  OK(oriel_request_wait(requests[0]));
  CHECK(memcmp(got, values, sizeof got) == 0);

  OK(oriel_window_raccumulate(window, ORIEL_OP_SUM, w->next, 7, &one, 1, requests));
  OK(oriel_request_wait(requests[0]));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_rget_accumulate(window, ORIEL_OP_REPLACE, w->next, 7, &one, &before, 1,
                                  requests));
  OK(oriel_request_wait(requests[0]));
  CHECK(before == values[7] + 1);
  OK(oriel_request_test(NULL, &done));
  CHECK(done == 1);
  OK(oriel_request_wait(NULL));

  requests[0] = (oriel_request*)&one;
  CHECK_CODE(ORIEL_ERR_OP, oriel_window_raccumulate(window, 256, w->next, 0, &one, 1, requests));
  CHECK_CODE(ORIEL_ERR_OP,
             oriel_window_rget_accumulate(window, -1, w->next, 0, &one, &before, 1, requests));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_put_notify(window, w->next, 0, &one, 1, 0, 1));
  CHECK(requests[0] == (oriel_request*)&one);
  OK(oriel_window_clear_failure(window));
  OK(oriel_window_unlock_all(window));
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_free(window));
}

static int64_t read_own(const struct world* w, oriel_window* window, int64_t disp) {
  int64_t value = -1;
  OK(oriel_window_get(window, w->me, disp, &value, 1));
  return value;
}

static void test_fence(const struct world* w) {
  oriel_window* const window = allocate(w, ORIEL_ASSERT_FENCE);
  const int64_t value = w->me + 5;
  OK(oriel_window_fence(window, ORIEL_MODE_NOPRECEDE));
  OK(oriel_window_put(window, w->next, 2, &value, 1));
  OK(oriel_window_fence(window, ORIEL_MODE_NOSTORE | ORIEL_MODE_NOPUT));
  CHECK(read_own(w, window, 2) == w->previous + 5);
  OK(oriel_window_fence(window, ORIEL_MODE_NOSUCCEED));
  OK(oriel_window_free(window));
}

// Around the ring, by wait, and by test until it says so.
static void test_pscw(const struct world* w) {
  oriel_window* const window = allocate(w, ORIEL_ASSERT_PSCW);
  for (int64_t round = 0; round < 2; ++round) {
    const int64_t value = w->me + 100 * round;
    int done = 0;
    OK(oriel_window_post(window, 1, &w->previous, ORIEL_MODE_NONE));
    OK(oriel_window_start(window, 1, &w->next, ORIEL_MODE_NONE));
    OK(oriel_window_put(window, w->next, round, &value, 1));
    OK(oriel_window_complete(window));
    if (round == 0) {
      OK(oriel_window_wait(window));
    } else {
      while (!done) OK(oriel_window_test(window, &done));
    }
    OK(oriel_window_post(window, 1, &w->me, ORIEL_MODE_NONE));
    OK(oriel_window_start(window, 1, &w->me, ORIEL_MODE_NONE));
    CHECK(read_own(w, window, round) == w->previous + 100 * round);
    OK(oriel_window_complete(window));
    OK(oriel_window_wait(window));
  }
  CHECK_CODE(ORIEL_ERR_RMA_SYNC, oriel_window_wait(window));
  OK(oriel_window_clear_failure(window));
  OK(oriel_window_free(window));
}

// Plain reads and writes of rank 0's counter, which only exclusive locks keep from being lost.
static void test_locks(const struct world* w) {
  oriel_window* const window = allocate(w, ORIEL_ASSERT_SHARED_LOCK | ORIEL_ASSERT_EXCLUSIVE_LOCK);
  int64_t value = 0;
  for (int i = 0; i < 50; ++i) {
    OK(oriel_window_lock(window, ORIEL_LOCK_EXCLUSIVE, 0, ORIEL_MODE_NONE));
    OK(oriel_window_get(window, 0, 0, &value, 1));
    OK(oriel_window_flush_local(window, 0));
    ++value;
    OK(oriel_window_put(window, 0, 0, &value, 1));
    OK(oriel_window_unlock(window, 0));
  }
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_lock(window, ORIEL_LOCK_SHARED, 0, ORIEL_MODE_NONE));
  OK(oriel_window_get(window, 0, 0, &value, 1));
  CHECK_CODE(ORIEL_ERR_RMA_SYNC, oriel_window_lock(window, ORIEL_LOCK_SHARED, 0, ORIEL_MODE_NONE));
  OK(oriel_window_clear_failure(window));
  OK(oriel_window_unlock(window, 0));
  CHECK(value == 50 * w->ranks);
  CHECK_CODE(ORIEL_ERR_LOCKTYPE, oriel_window_lock(window, 2, 0, ORIEL_MODE_NONE));
  CHECK_SAYS(oriel_last_error(), "2 is no kind of lock");
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_lock(window, ORIEL_LOCK_SHARED, 0, 32));
  CHECK_SAYS(oriel_last_error(), "the mode 32");
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_lock_all(window, -1));
  CHECK_SAYS(oriel_last_error(), "the mode -1");
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_free(window));
}

void test_synchronization(const struct world* w) {
  test_fence(w);
  test_pscw(w);
  test_locks(w);
}
