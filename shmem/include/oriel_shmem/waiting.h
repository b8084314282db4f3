/* Point-to-point synchronization: waiting for, and testing, variables of this PE that others write.
 * Waits serve other PEs meanwhile, and end the job where a PE has died. */
#ifndef ORIEL_SHMEM_WAITING_H
#define ORIEL_SHMEM_WAITING_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_GE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_LE 6
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_LE SHMEM_CMP_LE

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                              \
  void shmem_##NAME##_wait_until(TYPE* ivar, int cmp, TYPE value); \
  int shmem_##NAME##_test(TYPE* ivar, int cmp, TYPE value);
ORIEL_SHMEM_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

/* On the variables whose `status` is 0, all where it is null. Those of `_vector` compare each with
 * a value of its own. `any` returns an index, SIZE_MAX for none; `some` how many it lists. */
#define ORIEL_SHMEM_WAITS(NAME, TYPE, VECTOR, VALUES)                                            \
  void shmem_##NAME##_wait_until_all##VECTOR(TYPE* ivars, size_t nelems, const int* status,      \
                                             int cmp, VALUES values);                            \
  size_t shmem_##NAME##_wait_until_any##VECTOR(TYPE* ivars, size_t nelems, const int* status,    \
                                               int cmp, VALUES values);                          \
  size_t shmem_##NAME##_wait_until_some##VECTOR(TYPE* ivars, size_t nelems, size_t* indices,     \
                                                const int* status, int cmp, VALUES values);      \
  int shmem_##NAME##_test_all##VECTOR(TYPE* ivars, size_t nelems, const int* status, int cmp,    \
                                      VALUES values);                                            \
  size_t shmem_##NAME##_test_any##VECTOR(TYPE* ivars, size_t nelems, const int* status, int cmp, \
                                         VALUES values);                                         \
  size_t shmem_##NAME##_test_some##VECTOR(TYPE* ivars, size_t nelems, size_t* indices,           \
                                          const int* status, int cmp, VALUES values);
#define ORIEL_SHMEM_TYPED(NAME, TYPE)   \
  ORIEL_SHMEM_WAITS(NAME, TYPE, , TYPE) \
  ORIEL_SHMEM_WAITS(NAME, TYPE, _vector, const TYPE*)
ORIEL_SHMEM_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#undef ORIEL_SHMEM_WAITS

/* Names of earlier specifications. */
#define ORIEL_SHMEM_TYPED(NAME, TYPE) void shmem_##NAME##_wait(TYPE* ivar, TYPE value);
ORIEL_SHMEM_FORMER_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
void shmem_wait_until(long* ivar, int cmp, long value);
void shmem_wait(long* ivar, long value);

#ifdef __cplusplus
}
#endif
#endif
