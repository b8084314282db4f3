#include "tests/capi/check.h"

// Without a device's memory they are refused, and say why; tests/win has what they do.
void test_stream_operations(const struct world* w) {
  oriel_window* const window = open_window(w, ORIEL_ASSERT_NOTIFY, 0);
  int64_t element = 7;
  CHECK_CODE(ORIEL_ERR_UNSUPPORTED_KIND,
             oriel_window_put_on(window, NULL, w->next, 0, &element, 1));
  CHECK_SAYS(oriel_last_error(), "memory_kind");
  CHECK_CODE(ORIEL_ERR_UNSUPPORTED_KIND,
             oriel_window_get_on(window, NULL, w->next, 0, &element, 1));
  CHECK(element == 7);
  CHECK_CODE(ORIEL_ERR_UNSUPPORTED_KIND, oriel_window_signal_on(window, NULL, w->next, 0, 1));
  CHECK_CODE(ORIEL_ERR_UNSUPPORTED_KIND, oriel_window_wait_on(window, NULL, 0, 1));
  CHECK_CODE(ORIEL_ERR_UNSUPPORTED_KIND, oriel_window_wait_more_on(window, NULL, 0, 1));
  OK(oriel_window_clear_failure(window));
  close_window(w, window);
}
