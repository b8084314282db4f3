/* Put and get. */
#ifndef ORIEL_SHMEM_RMA_H
#define ORIEL_SHMEM_RMA_H

#include "context.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                           \
  ORIEL_SHMEM_BOTH(void, NAME##_put, TYPE* dest, const TYPE* source, size_t nelems, int pe)     \
  ORIEL_SHMEM_BOTH(void, NAME##_get, TYPE* dest, const TYPE* source, size_t nelems, int pe)     \
  ORIEL_SHMEM_BOTH(void, NAME##_put_nbi, TYPE* dest, const TYPE* source, size_t nelems, int pe) \
  ORIEL_SHMEM_BOTH(void, NAME##_get_nbi, TYPE* dest, const TYPE* source, size_t nelems, int pe) \
  ORIEL_SHMEM_BOTH(void, NAME##_p, TYPE* dest, TYPE value, int pe)                              \
  ORIEL_SHMEM_BOTH(TYPE, NAME##_g, const TYPE* source, int pe)                                  \
  ORIEL_SHMEM_BOTH(void, NAME##_iput, TYPE* dest, const TYPE* source, ptrdiff_t dst,            \
                   ptrdiff_t sst, size_t nelems, int pe)                                        \
  ORIEL_SHMEM_BOTH(void, NAME##_iget, TYPE* dest, const TYPE* source, ptrdiff_t dst,            \
                   ptrdiff_t sst, size_t nelems, int pe)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#define ORIEL_SHMEM_SIZED(BITS)                                                                    \
  ORIEL_SHMEM_BOTH(void, put##BITS, void* dest, const void* source, size_t nelems, int pe)         \
  ORIEL_SHMEM_BOTH(void, get##BITS, void* dest, const void* source, size_t nelems, int pe)         \
  ORIEL_SHMEM_BOTH(void, put##BITS##_nbi, void* dest, const void* source, size_t nelems, int pe)   \
  ORIEL_SHMEM_BOTH(void, get##BITS##_nbi, void* dest, const void* source, size_t nelems, int pe)   \
  ORIEL_SHMEM_BOTH(void, iput##BITS, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, \
                   size_t nelems, int pe)                                                          \
  ORIEL_SHMEM_BOTH(void, iget##BITS, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, \
                   size_t nelems, int pe)
ORIEL_SHMEM_SIZES(ORIEL_SHMEM_SIZED)
#undef ORIEL_SHMEM_SIZED

ORIEL_SHMEM_BOTH(void, putmem, void* dest, const void* source, size_t nelems, int pe)
ORIEL_SHMEM_BOTH(void, getmem, void* dest, const void* source, size_t nelems, int pe)
ORIEL_SHMEM_BOTH(void, putmem_nbi, void* dest, const void* source, size_t nelems, int pe)
ORIEL_SHMEM_BOTH(void, getmem_nbi, void* dest, const void* source, size_t nelems, int pe)

#ifdef __cplusplus
}
#endif
#endif
