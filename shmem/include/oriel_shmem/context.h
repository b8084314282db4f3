/* Contexts. */
#ifndef ORIEL_SHMEM_CONTEXT_H
#define ORIEL_SHMEM_CONTEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What inlined operations read of a context; it never changes while there is one. Programs do not
 * name it. */
struct oriel_shmem_context {
  const char* heap;   /* where this PE's symmetric heap begins */
  size_t bytes;       /* of it; 0: every operation is a call */
  char* const* there; /* by PE of the context's team: where its heap is mapped here, or null */
  int pes;            /* of that team */
  void* more;         /* the library's own */
};
typedef struct oriel_shmem_context* shmem_ctx_t;

extern struct oriel_shmem_context oriel_shmem_default_context;
#define SHMEM_CTX_DEFAULT (&oriel_shmem_default_context)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)

#ifdef __cplusplus
}
#endif
#endif
