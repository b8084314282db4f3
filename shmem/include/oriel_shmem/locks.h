/* Locks: symmetric variables of type long that are 0 at first. Who waits gets it in the order of
 * asking. Of the threads of one PE one at a time may use a lock. */
#ifndef ORIEL_SHMEM_LOCKS_H
#define ORIEL_SHMEM_LOCKS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the job where a PE has died, who may hold it. */
void shmem_set_lock(long* lock);
/* Completes what this PE has begun before it releases the lock. */
void shmem_clear_lock(long* lock);
/* Returns 0 where this PE now holds it, else 1. */
int shmem_test_lock(long* lock);

#ifdef __cplusplus
}
#endif
#endif
