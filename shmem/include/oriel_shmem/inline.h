/* Operations on single elements of memory that is mapped here. Each function has an external
 * definition too, in the library, which does the same and everything else. */
#ifndef ORIEL_SHMEM_INLINE_H
#define ORIEL_SHMEM_INLINE_H

#include "rma.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Programs do not call these: what inlined operations are made of, and what cannot be inlined. */
char* oriel_shmem_reach(shmem_ctx_t ctx, const void* at, int pe);
void oriel_shmem_put(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int pe);
void oriel_shmem_get(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int pe);

/* With a definition of its own in the library, for calls by address and without optimization. */
#define ORIEL_SHMEM_INLINE extern __inline__ __attribute__((__gnu_inline__))

/* Where `at`, a symmetric address, is of `pe`; null where a call must find it. */
ORIEL_SHMEM_INLINE char* oriel_shmem_reach(shmem_ctx_t ctx, const void* at, int pe) {
  const size_t offset = (size_t)((const char*)at - ctx->heap);
  char* const there = __builtin_expect(offset < ctx->bytes, 1) ? ctx->there[pe] : (char*)0;
  return __builtin_expect(there != (char*)0, 1) ? there + offset : (char*)0;
}

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                             \
  ORIEL_SHMEM_INLINE void shmem_ctx_##NAME##_p(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe) { \
    char* const there = oriel_shmem_reach(ctx, dest, pe);                                         \
    if (there != (char*)0) {                                                                      \
      *(volatile TYPE*)there = value;                                                             \
    } else {                                                                                      \
      const TYPE kept = value;                                                                    \
      oriel_shmem_put(ctx, dest, &kept, sizeof kept, pe);                                         \
    }                                                                                             \
  }                                                                                               \
  ORIEL_SHMEM_INLINE void shmem_##NAME##_p(TYPE* dest, TYPE value, int pe) {                      \
    shmem_ctx_##NAME##_p(SHMEM_CTX_DEFAULT, dest, value, pe);                                     \
  }                                                                                               \
  ORIEL_SHMEM_INLINE TYPE shmem_ctx_##NAME##_g(shmem_ctx_t ctx, const TYPE* source, int pe) {     \
    const char* const there = oriel_shmem_reach(ctx, source, pe);                                 \
    TYPE value;                                                                                   \
    if (there != (char*)0) return *(const volatile TYPE*)there;                                   \
    oriel_shmem_get(ctx, &value, source, sizeof value, pe);                                       \
    return value;                                                                                 \
  }                                                                                               \
  ORIEL_SHMEM_INLINE TYPE shmem_##NAME##_g(const TYPE* source, int pe) {                          \
    return shmem_ctx_##NAME##_g(SHMEM_CTX_DEFAULT, source, pe);                                   \
  }
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#ifdef __cplusplus
}
#endif
#endif
