// The symmetric heap.
#include <string.h>

#include "tests/shmem/check.h"

static int aligned(const void* p, size_t to) {
  return (uintptr_t)p % to == 0;
}

static int all_bytes_are(const unsigned char* p, size_t n, unsigned char value) {
  for (size_t i = 0; i < n; ++i)
    if (p[i] != value) return 0;
  return 1;
}

// What each PE takes is at the same distance from its first allocation.
static void check_symmetry(const struct world* w, const char* first, const char* p) {
  static ptrdiff_t distance;
  distance = p - first;
  shmem_barrier_all();
  CHECK(shmem_ptrdiff_g(&distance, w->next) == distance);
  shmem_barrier_all();
}

static void test_random_allocations(const struct world* w) {
  enum { places = 24, steps = 200 };
  unsigned char* at[places] = {0};
  size_t bytes[places] = {0};
  uint64_t random = seed_of_run();
  char* const first = shmem_malloc(1);
  for (int step = 0; step < steps; ++step) {
    const int i = (int)(next_random(&random) % places);
    const size_t wanted = 1 + next_random(&random) % 5000;
    if (at[i] == NULL) {
      const size_t alignment = (size_t)1 << (3 + next_random(&random) % 10);
      at[i] = shmem_align(alignment, wanted);
      CHECK(aligned(at[i], alignment));
      memset(at[i], i, wanted);
      bytes[i] = wanted;
    } else if (next_random(&random) % 2 == 0) {
      CHECK(all_bytes_are(at[i], bytes[i], (unsigned char)i));
      shmem_free(at[i]);
      at[i] = NULL;
    } else {
      const size_t kept = wanted < bytes[i] ? wanted : bytes[i];
      at[i] = shmem_realloc(at[i], wanted);
      CHECK(all_bytes_are(at[i], kept, (unsigned char)i));
      memset(at[i], i, wanted);
      bytes[i] = wanted;
    }
    if (step % 20 == 0 && at[i] != NULL) check_symmetry(w, first, (const char*)at[i]);
  }
  for (int i = 0; i < places; ++i) {
    if (at[i] == NULL) continue;
    CHECK(all_bytes_are(at[i], bytes[i], (unsigned char)i));
    shmem_free(at[i]);
  }
  shmem_free(first);
}

void test_memory(const struct world* w) {
  CHECK(shmem_malloc(0) == NULL);
  shmem_free(NULL);
  unsigned char* p = shmem_malloc(100);
  CHECK(p != NULL && aligned(p, sizeof(long double)));
  memset(p, 7, 100);
  p = shmem_realloc(p, 40000);
  CHECK(all_bytes_are(p, 100, 7));
  p = shmem_realloc(p, 10);
  CHECK(all_bytes_are(p, 10, 7));
  CHECK(shmem_realloc(p, 0) == NULL);
  p = shmem_realloc(NULL, 64);
  CHECK(p != NULL);
  memset(p, 1, 64);
  shmem_free(p);

  p = shmem_calloc(16, 4);
  CHECK(p != NULL && all_bytes_are(p, 64, 0));
  shmem_free(p);
  CHECK(shmem_calloc(0, 4) == NULL);

  // More than there is, on all PEs alike.
  CHECK(shmem_malloc((size_t)1 << 50) == NULL);

  unsigned char* const page = shmem_align(4096, 3 * 4096);
  CHECK(page != NULL && aligned(page, 4096));
  page[0] = page[3 * 4096 - 1] = (unsigned char)w->me;
  shmem_barrier_all();
  CHECK(shmem_uchar_g(page, w->next) == w->next);
  CHECK(shmem_uchar_g(page + 3 * 4096 - 1, w->next) == w->next);
  shmem_free(page);

  test_random_allocations(w);
}
