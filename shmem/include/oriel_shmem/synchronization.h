/* Order and completion. */
#ifndef ORIEL_SHMEM_SYNCHRONIZATION_H
#define ORIEL_SHMEM_SYNCHRONIZATION_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All of them complete what every context has begun. */
void shmem_fence(void);
void shmem_ctx_fence(shmem_ctx_t ctx);
void shmem_quiet(void);
void shmem_ctx_quiet(shmem_ctx_t ctx);

void shmem_barrier_all(void);
void shmem_sync_all(void);

#ifdef __cplusplus
}
#endif
#endif
