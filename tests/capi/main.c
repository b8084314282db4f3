// Every function of oriel.h, called from C99 by each rank of a job of any size.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/capi/check.h"

static int failed = 0;

void check(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  ++failed;
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

void check_code(int code, int expected, const char* call, const char* file, int line) {
  if (code == expected) return;
  ++failed;
  fprintf(stderr, "%s:%d: %s, not %s: %s (%s)\n", file, line, oriel_error_name(code),
          oriel_error_name(expected), call, oriel_last_error());
}

void check_says(const char* text, const char* part, const char* file, int line) {
  if (strstr(text, part) != NULL) return;
  ++failed;
  fprintf(stderr, "%s:%d: \"%s\" does not contain \"%s\"\n", file, line, text, part);
}

int failures(void) {
  return failed;
}

// A job of one whose program brings its own way between its ranks, and counts its uses.
static int allgather_of_one(void* context, const void* mine, size_t bytes, void* all) {
  ++*(int*)context;
  memcpy(all, mine, bytes);
  return ORIEL_SUCCESS;
}
static int failing_allgather(void* context, const void* mine, size_t bytes, void* all) {
  (void)mine, (void)bytes, (void)all;
  return *(const int*)context;
}

static void test_bootstrap(void) {
  int uses = 0;
  int ranks = 0;
  oriel_session* session = NULL;
  oriel_team* team = NULL;
  oriel_session_options options = {.struct_size = sizeof options,
                                   .bootstrap_allgather = allgather_of_one,
                                   .bootstrap_context = &uses,
                                   .bootstrap_size = 1};
  OK(oriel_session_open(&options, &session));
  CHECK(uses > 0);
  OK(oriel_session_world(session, &team));
  OK(oriel_team_size(team, &ranks));
  CHECK(ranks == 1);
  OK(oriel_team_free(team));
  OK(oriel_session_close(session));

  session = NULL;
  const int codes[] = {ORIEL_ERR_TIMED_OUT, ORIEL_ERR_WIN};
  options.bootstrap_allgather = failing_allgather;
  for (int i = 0; i < 2; ++i) {
    options.bootstrap_context = (void*)&codes[i];
    CHECK_CODE(codes[i], oriel_session_open(&options, &session));
  }
  options.bootstrap_size = 0;
  CHECK_CODE(ORIEL_ERR_ARG, oriel_session_open(&options, &session));
  CHECK_SAYS(oriel_last_error(), "the size is 0");
  CHECK(session == NULL);
}

// What is refused without a word to the other ranks.
static void test_options(void) {
  struct {
    oriel_session_options known;
    long later;
  } newer;
  oriel_session* session = NULL;
  oriel_session_options options;
  memset(&options, 0, sizeof options);
  CHECK_CODE(ORIEL_ERR_ARG, oriel_session_open(&options, &session));
  CHECK_SAYS(oriel_last_error(), "struct_size 0");
  options.struct_size = sizeof options;
  options.threads = ORIEL_THREAD_MULTIPLE + 1;
  CHECK_CODE(ORIEL_ERR_ARG, oriel_session_open(&options, &session));
  CHECK_SAYS(oriel_last_error(), "4 is no thread level");
  memset(&newer, 0, sizeof newer);
  newer.known.struct_size = sizeof newer;
  newer.later = 1;
  CHECK_CODE(ORIEL_ERR_ARG, oriel_session_open(&newer.known, &session));
  CHECK_SAYS(oriel_last_error(), "does not know");
  CHECK(session == NULL);
}

int main(void) {
  struct world w = {NULL, NULL, 0, 0, 0, 0};
  const char* const launched = getenv("ORIEL_SIZE");
  CHECK(strcmp(oriel_last_error(), "") == 0);
  test_constants();
  test_info();
  test_datatypes();
  test_options();
  if (launched == NULL || strcmp(launched, "1") == 0) test_bootstrap();

  CHECK_CODE(ORIEL_SUCCESS, oriel_session_open(NULL, &w.session));
  if (w.session == NULL) return EXIT_FAILURE;
  OK(oriel_session_world(w.session, &w.team));
  OK(oriel_team_rank(w.team, &w.me));
  OK(oriel_team_size(w.team, &w.ranks));
  w.next = (w.me + 1) % w.ranks;
  w.previous = (w.me + w.ranks - 1) % w.ranks;
  test_session(&w);
  test_team(&w);
  test_windows(&w);
  test_statistics(&w);
  test_operations(&w);
  test_list_operations(&w);
  test_notifications(&w);
  test_stream_operations(&w);
  test_typed_operations(&w);
  test_operations_as(&w);
  test_requests(&w);
  test_synchronization(&w);
  OK(oriel_team_free(w.team));
  OK(oriel_session_close(w.session));
  return failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
