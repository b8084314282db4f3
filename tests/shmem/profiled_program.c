// A program with a tool in it: functions that stand before the library's, count their calls and
// call these by their second names.
#define ORIEL_SHMEM_CALLS
#include <mpp/shmem.h>
#include <pshmem.h>
#include <shmemx.h>
#include <stdarg.h>
#include <stdio.h>

static int puts_seen, sets_seen, swaps_seen, mallocs_seen, teams_seen, waits_seen, quiets_seen;
static int level_seen, argument_seen;

void shmem_long_put(long* dest, const long* source, size_t nelems, int pe) {
  ++puts_seen;
  pshmem_long_put(dest, source, nelems, pe);
}
void shmem_long_p(long* dest, long value, int pe) {
  ++sets_seen;
  pshmem_long_p(dest, value, pe);
}
long shmem_long_atomic_compare_swap(long* dest, long cond, long value, int pe) {
  ++swaps_seen;
  return pshmem_long_atomic_compare_swap(dest, cond, value, pe);
}
void* shmem_malloc(size_t size) {
  ++mallocs_seen;
  return pshmem_malloc(size);
}
int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx) {
  ++teams_seen;
  return pshmem_team_create_ctx(team, options, ctx);
}
void shmem_long_wait_until(long* ivar, int cmp, long value) {
  ++waits_seen;
  pshmem_long_wait_until(ivar, cmp, value);
}
void shmem_quiet(void) {
  ++quiets_seen;
  pshmem_quiet();
}
void shmem_pcontrol(int level, ...) {
  va_list more;
  va_start(more, level);
  level_seen = level;
  argument_seen = va_arg(more, int);
  va_end(more);
  pshmem_pcontrol(level, argument_seen);
}

static int failed;
static void check(int holds, const char* what) {
  if (holds) return;
  ++failed;
  fprintf(stderr, "PE %d: does not hold: %s\n", shmem_my_pe(), what);
}
#define CHECK(condition) check((condition) != 0, #condition)

static long from_previous;

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), next = (me + 1) % pes;
  long* const in_heap = shmem_malloc(sizeof *in_heap);
  long* const former = shmalloc(sizeof *former);
  CHECK(mallocs_seen == 2 && former != NULL);  // a name without a second one calls its successor
  CHECK(shmem_realloc(NULL, 8) != NULL && mallocs_seen == 2);
  const long mine = me + 1;
  *in_heap = 0;
  shmem_barrier_all();
  shmem_long_put(&from_previous, &mine, 1, next);
  shmem_long_p(in_heap, mine, next);
  shmem_long_put_nbi(&from_previous, &mine, 1, next);
  CHECK(puts_seen == 1 && sets_seen == 1);
  shmem_barrier_all();
  CHECK(from_previous == (me + pes - 1) % pes + 1 && *in_heap == from_previous);
#if __STDC_VERSION__ >= 201112L
  shmem_put(&from_previous, &mine, 1, me);
  shmem_p(in_heap, mine, me);
  CHECK(puts_seen == 2 && sets_seen == 2);
#endif
  // What calls another function inside is seen once, by its own name.
  shmem_barrier_all();
  from_previous = mine;
  CHECK(shmem_long_cswap(&from_previous, mine, 0, me) == mine && swaps_seen == 0);
  CHECK(shmem_long_atomic_compare_swap(&from_previous, 0, 3, me) == 0 && swaps_seen == 1);
  shmem_ctx_t ctx = SHMEM_CTX_INVALID;
  CHECK(shmem_ctx_create(0, &ctx) == 0 && teams_seen == 0);
  shmem_ctx_quiet(ctx);
  shmem_ctx_destroy(ctx);
  CHECK(quiets_seen == 0);
  shmem_wait_until(&from_previous, SHMEM_CMP_EQ, 3);
  shmem_wait(&from_previous, 2);
#if __STDC_VERSION__ >= 201112L
  CHECK(waits_seen == 1);  // the first is a generic name
#else
  CHECK(waits_seen == 0);
#endif
  shmem_pcontrol(2, 77);
  CHECK(level_seen == 2 && argument_seen == 77);
  shmem_finalize();
  return failed == 0 ? 0 : 1;
}
