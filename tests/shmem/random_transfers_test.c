// Transfers of random lengths at random places, against a copy of what each PE is to hold. A PE
// writes to a part of its own in each PE's memory.
#include <stdlib.h>
#include <string.h>

#include "tests/shmem/check.h"

enum { part = 40000, steps = 300 };

static unsigned char in_statics[4 * part];

static void transfer(const struct world* w, unsigned char* parts, uint64_t random) {
  unsigned char* const mine = parts + (size_t)w->me * part;
  unsigned char* const expected = malloc((size_t)w->pes * part);
  unsigned char* const sources = malloc((size_t)steps * part / 16);
  unsigned char* const got = malloc(part);
  unsigned char* source = sources;  // stays as it is until the next quiet
  memset(parts, 0, (size_t)w->pes * part);
  memset(expected, 0, (size_t)w->pes * part);
  shmem_barrier_all();
  for (int step = 0; step < steps; ++step) {
    const int pe = (int)(next_random(&random) % (uint64_t)w->pes);
    const size_t most = next_random(&random) % 4 == 0 ? part / 16 : 200;
    const size_t n = next_random(&random) % most;
    const size_t at = next_random(&random) % (part - n);
    unsigned char* const there = expected + (size_t)pe * part + at;
    switch (next_random(&random) % 4) {
      case 0:
        shmem_quiet();  // nothing that was put there is under way
        for (size_t i = 0; i < n; ++i) source[i] = (unsigned char)next_random(&random);
        shmem_putmem(mine + at, source, n, pe);
        memcpy(there, source, n);
        memset(source, 0, n);
        break;
      case 1:
        shmem_quiet();
        for (size_t i = 0; i < n; ++i) source[i] = (unsigned char)next_random(&random);
        shmem_putmem_nbi(mine + at, source, n, pe);
        memcpy(there, source, n);
        source += n;
        break;
      case 2:
        shmem_quiet();
        memset(got, 1, n);
        shmem_getmem(got, mine + at, n, pe);
        CHECK(memcmp(got, there, n) == 0);
        break;
      default:
        shmem_quiet();
        memset(got, 1, n);
        shmem_getmem_nbi(got, mine + at, n, pe);
        shmem_quiet();
        CHECK(memcmp(got, there, n) == 0);
    }
  }
  shmem_barrier_all();
  for (int pe = 0; pe < w->pes; ++pe) {
    shmem_getmem(got, mine, part, pe);
    CHECK(memcmp(got, expected + (size_t)pe * part, part) == 0);
  }
  shmem_barrier_all();
  free(got);
  free(sources);
  free(expected);
}

void test_random_transfers(const struct world* w) {
  unsigned char* const in_heap = shmem_malloc((size_t)w->pes * part);
  transfer(w, in_heap, seed_of_run() + (uint64_t)w->me);
  if (w->pes <= 4) transfer(w, in_statics, seed_of_run() * 3 + (uint64_t)w->me);
  shmem_free(in_heap);
}
