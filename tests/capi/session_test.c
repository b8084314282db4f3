#include <stdlib.h>
#include <string.h>

#include "tests/capi/check.h"

static void test_memory(const struct world* w) {
  char text[64];
  char on_stack[16] = "seen from here";
  size_t length = 0;
  void* memory = NULL;
  void* plain = NULL;
  oriel_info* hints = NULL;
  OK(oriel_info_create(&hints));
  OK(oriel_info_set(hints, "mpi_minimum_memory_alignment", "4096"));
  OK(oriel_session_alloc_mem(w->session, 100, NULL, hints, &memory));
  CHECK(memory != NULL && (uintptr_t)memory % 4096 == 0);
  OK(oriel_session_kind_of(w->session, memory, text, sizeof text, &length));
  CHECK(strcmp(text, "mpi:alloc_mem") == 0 && length == strlen(text));
  OK(oriel_session_alloc_mem(w->session, 100, "system", NULL, &plain));
  OK(oriel_session_kind_of(w->session, plain, text, sizeof text, NULL));
  CHECK(strcmp(text, "system") == 0);
  OK(oriel_session_copy(w->session, memory, on_stack, sizeof on_stack));
  OK(oriel_session_copy(w->session, plain, memory, sizeof on_stack));
  CHECK(strcmp(plain, on_stack) == 0);
  OK(oriel_session_free_mem(w->session, plain));
  OK(oriel_session_free_mem(w->session, memory));
  OK(oriel_session_free_mem(w->session, NULL));
  CHECK_CODE(ORIEL_ERR_BASE, oriel_session_free_mem(w->session, on_stack));

  memory = on_stack;
  OK(oriel_info_set(hints, "mpi_minimum_memory_alignment", "3"));
  CHECK_CODE(ORIEL_ERR_INFO, oriel_session_alloc_mem(w->session, 100, NULL, hints, &memory));
  CHECK_CODE(ORIEL_ERR_UNSUPPORTED_KIND,
             oriel_session_alloc_mem(w->session, 100, "abacus:device", NULL, &memory));
  CHECK_SAYS(oriel_last_error(), "abacus");
  CHECK(memory == on_stack);
  OK(oriel_info_free(hints));
}

static void test_kind_lists(void) {
  char text[64];
  size_t length = 0;
  int contained = -1;
  OK(oriel_memory_kinds_normal(" system , mpi:alloc_mem", text, sizeof text, &length));
  CHECK(strcmp(text, "mpi:alloc_mem,system") == 0 && length == strlen(text));
  CHECK_CODE(ORIEL_ERR_INFO, oriel_memory_kinds_normal("sys tem", text, sizeof text, &length));
  CHECK(strcmp(text, "mpi:alloc_mem,system") == 0);
  OK(oriel_memory_kinds_contain("mpi,system", "mpi:alloc_mem", &contained));
  CHECK(contained == 1);
  OK(oriel_memory_kinds_contain("mpi,system", "cuda:device", &contained));
  CHECK(contained == 0);
}

void test_session(const struct world* w) {
  oriel_team* node = NULL;
  oriel_info* hints = NULL;
  char kinds[64];
  int size = 0;
  int threads = 0;
  OK(oriel_session_node(w->session, &node));
  OK(oriel_team_size(node, &size));
  CHECK(size >= 1 && size <= w->ranks);
  OK(oriel_team_free(node));
  OK(oriel_session_threads(w->session, &threads));
  CHECK(threads == ORIEL_THREAD_MULTIPLE);
  OK(oriel_session_hints(w->session, &hints));
  OK(oriel_info_get(hints, "mpi_memory_alloc_kinds", kinds, sizeof kinds, NULL));
  CHECK(strcmp(kinds, "mpi,system") == 0);
  OK(oriel_info_free(hints));
  test_memory(w);
  test_kind_lists();
}
