#include <string.h>

#include "tests/capi/check.h"

static void test_names(void) {
  CHECK(strcmp(oriel_error_name(ORIEL_SUCCESS), "success") == 0);
  CHECK(strcmp(oriel_error_name(ORIEL_ERR_SYSTEM), "system") == 0);
  CHECK(strcmp(oriel_error_name(ORIEL_ERR_MISMATCHED_COLLECTIVE), "mismatched_collective") == 0);
  CHECK(strcmp(oriel_error_name(ORIEL_ERR_WIN), "win") == 0);
  CHECK(strcmp(oriel_error_name(-1), "unknown") == 0);
  CHECK(strcmp(oriel_error_name(ORIEL_ERR_WIN + 1), "unknown") == 0);
  CHECK(strcmp(oriel_assertion_name(ORIEL_ASSERT_SHARED_LOCK), "shared_lock") == 0);
  CHECK(strcmp(oriel_assertion_name(ORIEL_ASSERT_NOTIFY), "notify") == 0);
  CHECK(strcmp(oriel_assertion_name(ORIEL_ASSERT_EVERY), "unknown") == 0);
  CHECK(strcmp(oriel_op_name(ORIEL_OP_MAXLOC), "maxloc") == 0);
  CHECK(strcmp(oriel_op_name(-1), "unknown") == 0);
  CHECK(strcmp(oriel_op_name(256), "unknown") == 0);
  CHECK(strcmp(oriel_primitive_name(ORIEL_FLOAT64), "double") == 0);
  CHECK(strcmp(oriel_primitive_name(-1), "unknown") == 0);
}

void test_constants(void) {
  size_t bytes = 0;
  int defined = -1;
  test_names();
  OK(oriel_primitive_size(ORIEL_COMPLEX64, &bytes));
  CHECK(bytes == 16);
  CHECK_CODE(ORIEL_ERR_TYPE, oriel_primitive_size(1000, &bytes));
  CHECK_SAYS(oriel_last_error(), "1000 is no element type");
  CHECK(bytes == 16);
  OK(oriel_op_defined(ORIEL_OP_SUM, ORIEL_FLOAT64, &defined));
  CHECK(defined == 1);
  OK(oriel_op_defined(ORIEL_OP_BXOR, ORIEL_FLOAT64, &defined));
  CHECK(defined == 0);
  OK(oriel_op_defined(256, ORIEL_INT32, &defined));
  CHECK(defined == 0);
  CHECK_CODE(ORIEL_ERR_TYPE, oriel_op_defined(ORIEL_OP_SUM, -1, &defined));
}

void test_info(void) {
  oriel_info* info = NULL;
  char text[4] = "???";
  size_t length = 0;
  size_t keys = 9;
  OK(oriel_info_create(&info));
  OK(oriel_info_size(info, &keys));
  CHECK(keys == 0);
  OK(oriel_info_set(info, "b", "longer"));
  OK(oriel_info_set(info, "a", "x"));
  OK(oriel_info_set(info, "a", "yes"));
  OK(oriel_info_get(info, "a", text, sizeof text, &length));
  CHECK(strcmp(text, "yes") == 0 && length == 3);
  // Cut, with its whole length; and the length alone.
  OK(oriel_info_get(info, "b", text, sizeof text, &length));
  CHECK(strcmp(text, "lon") == 0 && length == 6);
  OK(oriel_info_get(info, "b", NULL, 0, &length));
  OK(oriel_info_get(info, "a", text, sizeof text, NULL));
  CHECK(strcmp(text, "yes") == 0);
  CHECK_CODE(ORIEL_ERR_INFO, oriel_info_get(info, "c", text, sizeof text, &length));
  CHECK_SAYS(oriel_last_error(), "no hint has the key c");
  CHECK(strcmp(text, "yes") == 0 && length == 6);
  OK(oriel_info_key(info, 1, text, sizeof text, &length));
  CHECK(strcmp(text, "b") == 0 && length == 1);
  CHECK_CODE(ORIEL_ERR_ARG, oriel_info_key(info, 2, text, sizeof text, &length));
  OK(oriel_info_erase(info, "b"));
  OK(oriel_info_erase(info, "b"));
  OK(oriel_info_size(info, &keys));
  CHECK(keys == 1);
  OK(oriel_info_free(info));
  OK(oriel_info_free(NULL));
}
