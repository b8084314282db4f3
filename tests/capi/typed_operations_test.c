#include <string.h>

#include "tests/capi/check.h"

// The same once more, as requests, on elements that the operations left at v² + v.
static void test_typed_requests(const struct world* w, oriel_window* window,
                                const oriel_datatype* element, const oriel_datatype* spread) {
  const int64_t given[3] = {4, 5, 6};
  int64_t got[3] = {0, 0, 0};
  oriel_request* request = NULL;
  OK(oriel_window_rput_typed(window, w->next, 0, given, 3, element, 1, spread, &request));
  OK(oriel_request_wait(request));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_raccumulate_typed(window, ORIEL_OP_SUM, w->next, 0, given, 3, element, 1, spread,
                                    &request));
  OK(oriel_request_wait(request));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_rget_typed(window, w->next, 0, got, 3, element, 1, spread, &request));
  OK(oriel_request_wait(request));
  for (int i = 0; i < 3; ++i) CHECK(got[i] == 2 * given[i]);
  OK(oriel_window_rget_accumulate_typed(window, ORIEL_OP_REPLACE, w->next, 0, given, 3, element,
                                        got, 3, element, 1, spread, &request));
  OK(oriel_request_wait(request));
  for (int i = 0; i < 3; ++i) CHECK(got[i] == 2 * given[i]);
  CHECK_CODE(ORIEL_ERR_OP, oriel_window_raccumulate_typed(window, 256, w->next, 0, given, 3,
                                                          element, 1, spread, &request));
  CHECK_CODE(ORIEL_ERR_OP,
             oriel_window_rget_accumulate_typed(window, 256, w->next, 0, given, 3, element, got, 3,
                                                element, 1, spread, &request));
}

// Doubles in a window of integers.
void test_operations_as(const struct world* w) {
  oriel_window* const window =
      open_window(w, ORIEL_ASSERT_USER_DATATYPE | ORIEL_ASSERT_MULTI_ELEMENT, 0);
  const double half[2] = {0.5, 1.5};
  const double three = 3;
  double got[2] = {-1, -1};
  oriel_request* request = NULL;
  OK(oriel_window_accumulate_as(window, ORIEL_OP_SUM, ORIEL_FLOAT64, w->next, 2, half, 2));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_get_accumulate_as(window, ORIEL_OP_SUM, ORIEL_FLOAT64, w->next, 2, half, got, 2));
  OK(oriel_window_flush(window, w->next));
  CHECK(got[0] == 0.5 && got[1] == 1.5);
  OK(oriel_window_rget_accumulate_as(window, ORIEL_OP_NO_OP, ORIEL_FLOAT64, w->next, 2, NULL, got,
                                     2, &request));
  OK(oriel_request_wait(request));
  CHECK(got[0] == 1.0 && got[1] == 3.0);
  OK(oriel_window_fetch_op_as(window, ORIEL_OP_MAX, ORIEL_FLOAT64, w->next, 2, &three, got));
  CHECK(got[0] == 1.0);
  OK(oriel_window_compare_swap_as(window, ORIEL_FLOAT64, w->next, 2, &three, half, got));
  CHECK(got[0] == 3.0);
  OK(oriel_window_compare_swap_as(window, ORIEL_FLOAT64, w->next, 2, &three, half, got));
  CHECK(got[0] == 0.5);

  CHECK_CODE(ORIEL_ERR_TYPE,
             oriel_window_accumulate_as(window, ORIEL_OP_SUM, 256, w->next, 2, half, 1));
  CHECK_SAYS(oriel_last_error(), "256 is no element type");
  CHECK_CODE(ORIEL_ERR_TYPE,
             oriel_window_get_accumulate_as(window, ORIEL_OP_SUM, -1, w->next, 2, half, got, 1));
  CHECK_CODE(ORIEL_ERR_TYPE,
             oriel_window_fetch_op_as(window, ORIEL_OP_SUM, 256, w->next, 2, half, got));
  CHECK_CODE(ORIEL_ERR_TYPE,
             oriel_window_compare_swap_as(window, 256, w->next, 2, half, half, got));
  CHECK_CODE(ORIEL_ERR_TYPE, oriel_window_rget_accumulate_as(window, ORIEL_OP_SUM, 256, w->next, 2,
                                                             half, got, 1, &request));
  CHECK_CODE(ORIEL_ERR_OP,
             oriel_window_fetch_op_as(window, ORIEL_OP_BXOR, ORIEL_FLOAT64, w->next, 2, half, got));
  CHECK(got[0] == 0.5);
  OK(oriel_window_clear_failure(window));
  close_window(w, window);
}

// Every second element of the target, dense here.
void test_typed_operations(const struct world* w) {
  oriel_window* const window =
      open_window(w, ORIEL_ASSERT_USER_DATATYPE | ORIEL_ASSERT_MULTI_ELEMENT, 0);
  oriel_datatype* element = NULL;
  oriel_datatype* spread = NULL;
  const int64_t given[3] = {1, 2, 3};
  int64_t got[3] = {0, 0, 0};
  int64_t whole[row] = {0};
  OK(oriel_datatype_of(ORIEL_INT64, &element));
  OK(oriel_datatype_vector(3, 1, 2, element, &spread));
  OK(oriel_window_put_typed(window, w->next, 0, given, 3, element, 1, spread));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_accumulate_typed(window, ORIEL_OP_PROD, w->next, 0, given, 3, element, 1,
                                   spread));
  OK(oriel_window_flush(window, w->next));
  OK(oriel_window_get_typed(window, w->next, 0, got, 3, element, 1, spread));
  OK(oriel_window_flush(window, w->next));
  for (int i = 0; i < 3; ++i) CHECK(got[i] == given[i] * given[i]);
  OK(oriel_window_get_accumulate_typed(window, ORIEL_OP_SUM, w->next, 0, given, 3, element, got, 3,
                                       element, 1, spread));
  OK(oriel_window_flush(window, w->next));
  for (int i = 0; i < 3; ++i) CHECK(got[i] == given[i] * given[i]);
  OK(oriel_window_get(window, w->next, 0, whole, row));
  OK(oriel_window_flush(window, w->next));
  for (int i = 0; i < row; ++i) {
    const int64_t v = given[i / 2 % 3];
    CHECK(whole[i] == (i < 6 && i % 2 == 0 ? v * v + v : 0));
  }
  CHECK_CODE(ORIEL_ERR_TYPE,
             oriel_window_put_typed(window, w->next, 0, given, 2, element, 1, spread));
  OK(oriel_window_clear_failure(window));
  CHECK_CODE(ORIEL_ERR_OP,
             oriel_window_accumulate_typed(window, 256, w->next, 0, given, 3, element, 1, spread));
  CHECK_CODE(ORIEL_ERR_OP, oriel_window_get_accumulate_typed(window, -1, w->next, 0, given, 3,
                                                             element, got, 3, element, 1, spread));
  test_typed_requests(w, window, element, spread);
  OK(oriel_datatype_free(spread));
  OK(oriel_datatype_free(element));
  close_window(w, window);
}
