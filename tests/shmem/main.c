// Every family of calls, on each PE of a job of any size. An argument names the only one to run.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/shmem/check.h"

struct test {
  const char* name;
  void (*run)(const struct world*);
};
static const struct test tests[] = {
    {"setup", test_setup},
    {"memory", test_memory},
    {"rma", test_rma},
    {"strided", test_strided},
    {"random_transfers", test_random_transfers},
    {"atomics", test_atomics},
    {"random_atomics", test_random_atomics},
    {"waiting", test_waiting},
    {"signals", test_signals},
    {"teams", test_teams},
    {"locks", test_locks},
    {"collectives", test_collectives},
    {"reductions", test_reductions},
    {"active_sets", test_active_sets},
    {"every_set", test_every_set},
    {"generic", test_generic},
};

static const char* running = "";
static int failed = 0;
static int all_failed = 0;

void check(int holds, const char* what, const char* file, int line) {
  if (holds) return;
  if (++failed <= 20)
    fprintf(stderr, "%s:%d: PE %d, %s (seed %" PRIu64 "): does not hold: %s\n", file, line,
            shmem_my_pe(), running, seed_of_run(), what);
}

uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static long seed = 0;

uint64_t seed_of_run(void) {
  return (uint64_t)seed;
}

static void draw_seed(void) {
  const char* const given = getenv("ORIEL_TEST_SEED");
  FILE* const random = fopen("/dev/urandom", "rb");
  uint32_t drawn = 1;
  if (random != NULL && fread(&drawn, sizeof drawn, 1, random) != 1) drawn = 1;
  if (random != NULL) fclose(random);
  seed = given != NULL ? strtol(given, NULL, 10) : (long)drawn;
}

// The seed of PE 0 is everybody's.
static void agree_on_seed(void) {
  draw_seed();
  shmem_barrier_all();
  const long agreed = shmem_long_g(&seed, 0);
  shmem_barrier_all();
  seed = agreed;
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  const struct world w = {me, pes, (me + 1) % pes, (me + pes - 1) % pes};
  agree_on_seed();
  int ran = 0;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
    if (argc > 1 && strcmp(argv[1], tests[i].name) != 0) continue;
    running = tests[i].name;
    tests[i].run(&w);
    shmem_barrier_all();
    ++ran;
  }
  all_failed = failed;
  shmem_barrier_all();
  for (int pe = 0; me == 0 && pe < pes; ++pe) failed += pe == 0 ? 0 : shmem_int_g(&all_failed, pe);
  if (me == 0) printf("%d families, %d checks failed\n", ran, failed);
  fflush(stdout);
  shmem_finalize();
  return failed == 0 && ran != 0 ? 0 : 1;
}
