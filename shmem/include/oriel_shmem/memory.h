/* The symmetric heap: SHMEM_SYMMETRIC_SIZE bytes of each PE, which take memory as they are first
 * touched. All begin on cache lines of their own. */
#ifndef ORIEL_SHMEM_MEMORY_H
#define ORIEL_SHMEM_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Null on all PEs alike where the heap has no room. */
void* shmem_malloc(size_t size);
void* shmem_calloc(size_t count, size_t size);
void* shmem_align(size_t alignment, size_t size);
void* shmem_realloc(void* ptr, size_t size);
void* shmem_malloc_with_hints(size_t size, long hints);
void shmem_free(void* ptr);

/* Names of earlier specifications. */
void* shmalloc(size_t size);
void* shmemalign(size_t alignment, size_t size);
void* shrealloc(void* ptr, size_t size);
void shfree(void* ptr);

#ifdef __cplusplus
}
#endif
#endif
