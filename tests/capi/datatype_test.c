#include <stddef.h>
#include <string.h>

#include "tests/capi/check.h"

// Frees `type`, having looked at it: all in bytes.
static void check_type(oriel_datatype* type, size_t size, ptrdiff_t lower_bound, ptrdiff_t extent,
                       ptrdiff_t true_lower_bound, size_t true_extent, int line) {
  size_t bytes = 0;
  size_t data_extent = 0;
  ptrdiff_t lb = -99;
  ptrdiff_t step = -99;
  OK(oriel_datatype_size(type, &bytes));
  OK(oriel_datatype_extent(type, &lb, &step));
  check(bytes == size, "size", __FILE__, line);
  check(lb == lower_bound && step == extent, "bounds", __FILE__, line);
  OK(oriel_datatype_true_extent(type, &lb, &data_extent));
  check(lb == true_lower_bound && data_extent == true_extent, "true bounds", __FILE__, line);
  OK(oriel_datatype_free(type));
}
#define CHECK_TYPE(type, size, lb, extent, true_lb, true_extent) \
  check_type(type, size, lb, extent, true_lb, true_extent, __LINE__)

static void test_constructors(const oriel_datatype* four) {
  const size_t lengths[] = {2, 1};
  const ptrdiff_t places[] = {0, 5};
  const ptrdiff_t byte_places[] = {8, 20};
  const size_t sizes[] = {4, 6};
  const size_t subsizes[] = {2, 3};
  const size_t starts[] = {1, 2};
  const oriel_datatype* types[2];
  oriel_datatype* type = NULL;
  types[0] = types[1] = four;
  OK(oriel_datatype_contiguous(3, four, &type));
  CHECK_TYPE(type, 12, 0, 12, 0, 12);
  OK(oriel_datatype_vector(3, 2, 4, four, &type));
  CHECK_TYPE(type, 24, 0, 40, 0, 40);
  OK(oriel_datatype_hvector(3, 2, -10, four, &type));
  CHECK_TYPE(type, 24, -20, 28, -20, 28);
  OK(oriel_datatype_indexed(2, lengths, places, four, &type));
  CHECK_TYPE(type, 12, 0, 24, 0, 24);
  OK(oriel_datatype_hindexed(2, lengths, byte_places, four, &type));
  CHECK_TYPE(type, 12, 8, 16, 8, 16);
  OK(oriel_datatype_indexed_block(2, 3, places, four, &type));
  CHECK_TYPE(type, 24, 0, 32, 0, 32);
  OK(oriel_datatype_structure(2, lengths, byte_places, types, &type));
  CHECK_TYPE(type, 12, 8, 16, 8, 16);
  OK(oriel_datatype_subarray(2, sizes, subsizes, starts, ORIEL_ORDER_C, four, &type));
  CHECK_TYPE(type, 24, 0, 96, 32, 36);
  OK(oriel_datatype_subarray(2, sizes, subsizes, starts, ORIEL_ORDER_FORTRAN, four, &type));
  CHECK_TYPE(type, 24, 0, 96, 36, 40);
  OK(oriel_datatype_resized(four, -4, 32, &type));
  CHECK_TYPE(type, 4, -4, 32, 0, 4);
  OK(oriel_datatype_bytes(7, 1, &type));
  CHECK_TYPE(type, 7, 0, 7, 0, 7);

  type = NULL;
  CHECK_CODE(ORIEL_ERR_ARG, oriel_datatype_subarray(2, sizes, subsizes, starts, 2, four, &type));
  CHECK_SAYS(oriel_last_error(), "2 is no storage order");
  CHECK_CODE(ORIEL_ERR_ARG,
             oriel_datatype_subarray(2, subsizes, sizes, starts, ORIEL_ORDER_C, four, &type));
  CHECK_CODE(ORIEL_ERR_TYPE, oriel_datatype_of(-1, &type));
  CHECK_CODE(ORIEL_ERR_COUNT, oriel_datatype_contiguous((size_t)-1, four, &type));
  CHECK(type == NULL);
}

static void test_properties(const oriel_datatype* four) {
  oriel_datatype* strided = NULL;
  oriel_datatype* again = NULL;
  oriel_datatype_run runs[2];
  char text[64];
  size_t number = 0;
  size_t length = 0;
  int answer = -1;
  uint64_t hash = 0;
  uint64_t other_hash = 1;
  OK(oriel_datatype_vector(3, 2, 4, four, &strided));
  OK(oriel_datatype_hvector(3, 2, 16, four, &again));
  OK(oriel_datatype_primitive(strided, &answer));
  CHECK(answer == ORIEL_INT32);
  OK(oriel_datatype_is_predefined(four, &answer));
  CHECK(answer == 1);
  OK(oriel_datatype_is_predefined(strided, &answer));
  CHECK(answer == 0);
  OK(oriel_datatype_is_contiguous(four, &answer));
  CHECK(answer == 1);
  OK(oriel_datatype_is_contiguous(strided, &answer));
  CHECK(answer == 0);
  OK(oriel_datatype_runs(strided, runs, 2, &number));
  CHECK(number == 1 && runs[0].offset == 0 && runs[0].elements == 2 && runs[0].blocks == 3 &&
        runs[0].stride == 16 && runs[0].primitive == ORIEL_INT32);
  number = 0;
  OK(oriel_datatype_runs(strided, NULL, 0, &number));
  CHECK(number == 1);
  OK(oriel_datatype_equal(strided, again, &answer));
  CHECK(answer == 1);
  OK(oriel_datatype_equal(strided, four, &answer));
  CHECK(answer == 0);
  OK(oriel_datatype_signatures_match(strided, 1, four, 6, &answer));
  CHECK(answer == 1);
  OK(oriel_datatype_signatures_match(strided, 1, four, 5, &answer));
  CHECK(answer == 0);
  OK(oriel_datatype_hash(strided, &hash));
  OK(oriel_datatype_hash(again, &other_hash));
  CHECK(hash == other_hash);
  OK(oriel_datatype_describe(four, text, sizeof text, &length));
  CHECK_SAYS(text, "int32");
  CHECK(length == strlen(text));
  OK(oriel_datatype_free(strided));
  OK(oriel_datatype_free(again));
}

void test_datatypes(void) {
  oriel_datatype* four = NULL;
  OK(oriel_datatype_of(ORIEL_INT32, &four));
  test_constructors(four);
  test_properties(four);
  OK(oriel_datatype_free(four));
  OK(oriel_datatype_free(NULL));
}
