// The calls of oriel_shmem/setup.h.
#include <string.h>

#include "tests/shmem/check.h"

static int variable;
static int initialized = 5;

void test_setup(const struct world* w) {
  int major = 0, minor = 0, on_stack = 0;
  char name[SHMEM_MAX_NAME_LEN] = "";
  shmem_info_get_version(&major, &minor);
  CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION);
  shmem_info_get_name(name);
  CHECK(strlen(name) > 0 && strlen(name) < SHMEM_MAX_NAME_LEN);

  int level = -1;
  shmem_query_thread(&level);
  CHECK(level == SHMEM_THREAD_SINGLE || level == SHMEM_THREAD_MULTIPLE);

  CHECK(!shmem_pe_accessible(-1));
  CHECK(!shmem_pe_accessible(w->pes));
  int* const in_heap = shmem_malloc(sizeof *in_heap);
  *in_heap = w->me;
  shmem_barrier_all();
  for (int pe = 0; pe < w->pes; ++pe) {
    CHECK(shmem_pe_accessible(pe));
    CHECK(shmem_addr_accessible(in_heap, pe));
    CHECK(shmem_addr_accessible(&variable, pe));
    CHECK(shmem_addr_accessible(&initialized, pe));
    CHECK(!shmem_addr_accessible(&on_stack, pe));
    const int* const there = shmem_ptr(in_heap, pe);
    if (there != NULL) CHECK(*there == pe);
  }
  CHECK(shmem_ptr(in_heap, w->me) == in_heap);
  CHECK(shmem_ptr(&on_stack, w->me) == NULL);
  shmem_barrier_all();
  shmem_free(in_heap);
}
