#include <stdlib.h>
#include <string.h>

#include "tests/capi/check.h"

static void test_agreed(const struct world* w, oriel_window* window, const oriel_datatype* base) {
  oriel_team* team = NULL;
  oriel_datatype* type = NULL;
  oriel_info* hints = NULL;
  char text[64];
  size_t length = 0;
  size_t bytes = 0;
  int answer = -1;
  char* long_text;
  OK(oriel_window_team(window, &team));
  OK(oriel_team_size(team, &answer));
  CHECK(answer == w->ranks);
  OK(oriel_team_free(team));
  OK(oriel_window_base(window, &type));
  OK(oriel_datatype_equal(type, base, &answer));
  CHECK(answer == 1);
  OK(oriel_datatype_free(type));
  OK(oriel_window_assertions(window, &answer));
  CHECK(answer == (ORIEL_ASSERT_LOCAL_LOAD_STORE | ORIEL_ASSERT_SHARED_LOCK));
  OK(oriel_window_name(window, text, sizeof text, &length));
  CHECK(strcmp(text, "grid") == 0 && length == 4);
  OK(oriel_window_hints(window, &hints));
  OK(oriel_info_get(hints, "alloc_shared_noncontig", text, sizeof text, NULL));
  CHECK(strcmp(text, "true") == 0);
  OK(oriel_info_free(hints));
  OK(oriel_window_metadata_bytes(window, &bytes));
  CHECK(bytes < 1 << 20);
  OK(oriel_window_explain(window, NULL, 0, &length));
  long_text = calloc(length + 1, 1);
  if (long_text == NULL) abort();
  OK(oriel_window_explain(window, long_text, length + 1, &length));
  CHECK(strlen(long_text) == length);
  CHECK_SAYS(long_text, "grid");
  CHECK_SAYS(long_text, "shared_lock");
  free(long_text);
}

static void test_memory(const struct world* w, oriel_window* window) {
  oriel_segment segments[2];
  int64_t* mine = NULL;
  void* base = NULL;
  size_t count = 0;
  size_t number = 0;
  int of = -2;
  int on_node = 0;
  OK(oriel_window_local(window, &base, &count));
  CHECK(base != NULL && count == row);
  mine = base;
  mine[3] = w->me;
  OK(oriel_window_sync(window));
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_sync(window));
  OK(oriel_team_on_node(w->team, w->next, &on_node));
  OK(oriel_window_shared_query(window, w->next, &of, &base, &count));
  if (on_node) {
    CHECK(of == w->next && base != NULL && count == row);
    CHECK(((int64_t*)base)[3] == w->next);
  } else {
    CHECK(base == NULL && count == 0);
  }
  OK(oriel_window_shared_query(window, ORIEL_ANY_RANK, NULL, &base, &count));
  CHECK(base != NULL && count == row);
  OK(oriel_window_segments(window, w->me, segments, 2, &number));
  CHECK(number == 1 && segments[0].handle == 0 && segments[0].first == 0 &&
        segments[0].count == row && segments[0].base == mine);
}

static void test_refused(const struct world* w, const oriel_datatype* base) {
  oriel_window* window = NULL;
  void* memory = NULL;
  oriel_segment segment;
  char text[512];
  size_t length = 0;
  int64_t value = 5;
  int on_node = 0;
  oriel_window_options options = {.struct_size = sizeof options, .memory_kind = "abacus:device"};
  CHECK_CODE(ORIEL_ERR_UNSUPPORTED_KIND,
             oriel_window_allocate(w->team, 4, base, ORIEL_ASSERT_FENCE, &options, &window));
  CHECK_SAYS(oriel_last_error(), "abacus:device");
  options = (oriel_window_options){.struct_size = sizeof options, .ops = 1 << 20};
  CHECK_CODE(ORIEL_ERR_ARG,
             oriel_window_allocate(w->team, 4, base, ORIEL_ASSERT_FENCE, &options, &window));
  CHECK_SAYS(oriel_last_error(), "name no operation: 1048576");
  CHECK_CODE(ORIEL_ERR_ARG, oriel_window_allocate(w->team, 4, base, 1 << 20, NULL, &window));
  CHECK_SAYS(oriel_last_error(), "name no assertion: 1048576");
  options.struct_size = 1;
  CHECK_CODE(ORIEL_ERR_ARG,
             oriel_window_allocate(w->team, 4, base, ORIEL_ASSERT_FENCE, &options, &window));
  CHECK(window == NULL);
  if (w->ranks > 1) {
    const int asked = w->me == 0 ? ORIEL_ASSERT_FENCE : ORIEL_ASSERT_PSCW;
    CHECK_CODE(ORIEL_ERR_MISMATCHED_ASSERTIONS,
               oriel_window_allocate(w->team, 4, base, asked, NULL, &window));
    CHECK_SAYS(oriel_last_error(), "pscw");
    CHECK(window == NULL);
  }

  OK(oriel_window_create(w->team, &value, 1, base, ORIEL_ASSERT_SHARED_LOCK, NULL, &window));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_fence(window, ORIEL_MODE_NONE));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_attach(window, &length, 1, &segment));
  CHECK_SAYS(oriel_last_error(), "attach");
  OK(oriel_window_failure(window, text, sizeof text, &length));
  CHECK_SAYS(text, "attach");
  OK(oriel_window_first_failure(window, text, sizeof text, &length));
  CHECK_SAYS(text, "fence");
  CHECK(length == strlen(text));
  OK(oriel_window_lock_all(window, ORIEL_MODE_NONE));
  CHECK_CODE(ORIEL_ERR_NOT_ASSERTED, oriel_window_flush_all(window));
  OK(oriel_window_clear_failure(window));
  OK(oriel_window_failure(window, text, sizeof text, &length));
  CHECK(length == 0 && text[0] == '\0');
  OK(oriel_window_flush_all(window));
  OK(oriel_window_unlock_all(window));
  // Memory that no one else can map: on this node, not reachable.
  OK(oriel_team_on_node(w->team, w->next, &on_node));
  if (on_node && w->ranks > 1) {
    size_t count = 1;
    memory = &value;
    OK(oriel_window_shared_query(window, w->next, NULL, &memory, &count));
    CHECK(memory == NULL && count == 0);
  }
  OK(oriel_window_free(window));
}

static void test_attached(const struct world* w, const oriel_datatype* base) {
  int64_t* const memory = calloc(row, sizeof *memory);
  oriel_window* window = NULL;
  oriel_segment mine;
  oriel_segment theirs[2];
  size_t number = 0;
  if (memory == NULL) abort();
  OK(oriel_window_create(w->team, NULL, 0, base, ORIEL_ASSERT_ATTACH | ORIEL_ASSERT_SHARED_LOCK,
                         NULL, &window));
  OK(oriel_window_attach(window, memory, row, &mine));
  CHECK(mine.count == row && mine.base == memory);
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_segments(window, w->next, theirs, 2, &number));
  CHECK(number == 1 && theirs[0].count == row);
  OK(oriel_window_lock_all(window, ORIEL_MODE_NONE));
  OK(oriel_window_put(window, w->next, theirs[0].first + 5, &mine.first, 1));
  OK(oriel_window_unlock_all(window));
  OK(oriel_team_barrier(w->team));
  OK(oriel_window_detach(window, mine.handle));
  CHECK_CODE(ORIEL_ERR_RMA_ATTACH, oriel_window_detach(window, mine.handle));
  OK(oriel_window_clear_failure(window));
  CHECK_CODE(ORIEL_ERR_RMA_ATTACH, oriel_window_attach(window, memory, 0, &mine));
  CHECK_CODE(ORIEL_ERR_RMA_ATTACH, oriel_window_free(window));
  OK(oriel_window_free(NULL));
  free(memory);
}

static void test_freed_in_epoch(const struct world* w, const oriel_datatype* base) {
  oriel_window* window = NULL;
  OK(oriel_window_allocate(w->team, row, base, ORIEL_ASSERT_SHARED_LOCK, NULL, &window));
  OK(oriel_window_lock_all(window, ORIEL_MODE_NONE));
  CHECK_CODE(ORIEL_ERR_RMA_SYNC, oriel_window_free(window));
  CHECK_SAYS(oriel_last_error(), "inside an open epoch");
}

void test_windows(const struct world* w) {
  oriel_window* window = NULL;
  oriel_datatype* base = NULL;
  oriel_info* hints = NULL;
  oriel_window_options options = {.struct_size = sizeof options, .name = "grid"};
  OK(oriel_datatype_of(ORIEL_INT64, &base));
  OK(oriel_info_create(&hints));
  OK(oriel_info_set(hints, "alloc_shared_noncontig", "true"));
  options.hints = hints;
  OK(oriel_window_allocate(w->team, row, base,
                           ORIEL_ASSERT_LOCAL_LOAD_STORE | ORIEL_ASSERT_SHARED_LOCK, &options,
                           &window));
  test_agreed(w, window, base);
  test_memory(w, window);
  OK(oriel_window_free(window));
  test_refused(w, base);
  test_attached(w, base);
  test_freed_in_epoch(w, base);
  OK(oriel_info_free(hints));
  OK(oriel_datatype_free(base));
}
