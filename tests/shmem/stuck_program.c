// Hangs until it is ended, for oriel-info: the last PE does not come to what the others wait in.
#include <shmem.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long variable;
static uint64_t signal_word;
static long p_sync[SHMEM_BARRIER_SYNC_SIZE];

int main(int argc, char** argv) {
  const char* const in = argc > 1 ? argv[1] : "";
  for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; ++i) p_sync[i] = SHMEM_SYNC_VALUE;
  shmem_init();
  const int me = shmem_my_pe(), pes = shmem_n_pes(), last = pes - 1;
  if (me == last && strcmp(in, "lock") == 0) shmem_set_lock(&variable);
  shmem_barrier_all();
  if (me == last)
    for (;;) pause();
  // One after the other, so that each stands behind the one before.
  if (strcmp(in, "lock") == 0) sleep((unsigned)me);
  if (strcmp(in, "lock") == 0) shmem_set_lock(&variable);
  if (strcmp(in, "set") == 0) shmem_barrier(0, 0, pes, p_sync);
  if (strcmp(in, "wait") == 0) shmem_long_wait_until(&variable, SHMEM_CMP_NE, 0);
  if (strcmp(in, "signal") == 0) shmem_signal_wait_until(&signal_word, SHMEM_CMP_NE, 0);
  if (strcmp(in, "team") == 0) shmem_sync_all();
  return 0;
}
