// Ends in one of many ways, the wrong ones among them: `ending_program WAY [STATUS]`.
#define _POSIX_C_SOURCE 200809L
#include <shmem.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static long variable;
static long p_sync[SHMEM_SYNC_SIZE];  // holds SHMEM_SYNC_VALUE from main on

static int is(const char* way, const char* name) {
  return strcmp(way, name) == 0;
}

static void compute_for_ever(void) {
  for (volatile unsigned long i = 0;; ++i) {
  }
}

int main(int argc, char** argv) {
  const char* const way = argc > 1 ? argv[1] : "";
  const int status = argc > 2 ? atoi(argv[2]) : 0;
  long on_stack = 0;
  if (is(way, "uninitialized")) shmem_long_put(&variable, &on_stack, 1, 0);
  shmem_init();
  for (int i = 0; i < SHMEM_SYNC_SIZE; ++i) p_sync[i] = SHMEM_SYNC_VALUE;
  const int me = shmem_my_pe(), last = shmem_n_pes() - 1;
  long* const in_heap = shmem_malloc(4 * sizeof *in_heap);
  printf("PE %d of %d\n", me, last + 1);
  shmem_barrier_all();
  if (is(way, "nobody_writes")) shmem_long_wait_until(&variable, SHMEM_CMP_NE, 0);
  if (me != last && is(way, "killed_waiting")) shmem_long_wait_until(&variable, SHMEM_CMP_NE, 0);
  while (me != last && is(way, "killed_testing")) shmem_long_test(&variable, SHMEM_CMP_NE, 0);
  if (is(way, "killed_holding")) {
    if (me == last) shmem_set_lock(&variable);
    shmem_barrier_all();
    if (me != last) shmem_set_lock(&variable);
    sleep(1);  // the others wait for it meanwhile
  }
  // The first and the last of three PEs, while the other one looks after nobody.
  if (is(way, "killed_in_set") && me == 0) shmem_barrier(0, 1, 2, p_sync);
  if (is(way, "killed_in_set") && me == 1) compute_for_ever();
  if (is(way, "finalized")) {
    shmem_finalize();
    shmem_quiet();
  }
  if (me == last) {
    if (is(way, "pe")) shmem_long_put(in_heap, &on_stack, 1, 99);
    if (is(way, "address")) shmem_long_put(&on_stack, in_heap, 1, 0);
    if (is(way, "range")) shmem_putmem(&variable, in_heap, (size_t)1 << 40, 0);
    if (is(way, "free")) shmem_free(in_heap + 1);
    if (is(way, "exit")) exit(status);
    if (is(way, "unheld")) shmem_clear_lock(&variable);
    if (is(way, "comparison")) shmem_long_wait_until(&variable, 77, 0);
    if (is(way, "signal"))
      shmem_putmem_signal(in_heap, &on_stack, 1, (uint64_t*)(in_heap + 1), 1, 9, 0);
    if (is(way, "set_too_large")) shmem_sync(0, 0, 3, p_sync);
    if (is(way, "set_without_it")) shmem_barrier(0, 0, 1, p_sync);
    if (is(way, "negative_count"))
      shmem_long_sum_to_all(in_heap, in_heap, -1, 0, 0, 2, in_heap + 1, p_sync);
    if (strncmp(way, "killed", 6) == 0) raise(SIGKILL);
    if (is(way, "global_exit")) shmem_global_exit(status);
  }
  if (is(way, "global_exit")) compute_for_ever();
  if (is(way, "sizes")) in_heap[0] = shmem_malloc(8 + (size_t)me * 8) == NULL;
  if (is(way, "returns")) return 0;
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}
