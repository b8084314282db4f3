/* Atomic operations. Those on one element are atomic with each other, whatever PE calls them, and
 * with signals; not with put. */
#ifndef ORIEL_SHMEM_ATOMICS_H
#define ORIEL_SHMEM_ATOMICS_H

#include "context.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Operations by oriel's numbers, for the library and what the header inlines. */
enum oriel_shmem_op {
  oriel_shmem_op_set = 0,
  oriel_shmem_op_fetch = 1,
  oriel_shmem_op_add = 2,
  oriel_shmem_op_and = 9,
  oriel_shmem_op_or = 10,
  oriel_shmem_op_xor = 11
};

/* The _nbi forms: `fetch` may be read after shmem_quiet. */
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                      \
  ORIEL_SHMEM_BOTH(TYPE, NAME##_atomic_fetch, const TYPE* source, int pe)                  \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_fetch_nbi, TYPE* fetch, const TYPE* source, int pe) \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_set, TYPE* dest, TYPE value, int pe)                \
  ORIEL_SHMEM_BOTH(TYPE, NAME##_atomic_swap, TYPE* dest, TYPE value, int pe)               \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_swap_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe)
ORIEL_SHMEM_ATOMIC_AND_REAL_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                              \
  ORIEL_SHMEM_BOTH(TYPE, NAME##_atomic_compare_swap, TYPE* dest, TYPE cond, TYPE value, int pe)    \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_compare_swap_nbi, TYPE* fetch, TYPE* dest, TYPE cond,       \
                   TYPE value, int pe)                                                             \
  ORIEL_SHMEM_BOTH(TYPE, NAME##_atomic_fetch_inc, TYPE* dest, int pe)                              \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_fetch_inc_nbi, TYPE* fetch, TYPE* dest, int pe)             \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_inc, TYPE* dest, int pe)                                    \
  ORIEL_SHMEM_BOTH(TYPE, NAME##_atomic_fetch_add, TYPE* dest, TYPE value, int pe)                  \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_fetch_add_nbi, TYPE* fetch, TYPE* dest, TYPE value, int pe) \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_add, TYPE* dest, TYPE value, int pe)
ORIEL_SHMEM_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#define ORIEL_SHMEM_BITS(OP, NAME, TYPE)                                                      \
  ORIEL_SHMEM_BOTH(TYPE, NAME##_atomic_fetch_##OP, TYPE* dest, TYPE value, int pe)            \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_fetch_##OP##_nbi, TYPE* fetch, TYPE* dest, TYPE value, \
                   int pe)                                                                    \
  ORIEL_SHMEM_BOTH(void, NAME##_atomic_##OP, TYPE* dest, TYPE value, int pe)
#define ORIEL_SHMEM_TYPED(NAME, TYPE) \
  ORIEL_SHMEM_BITS(and, NAME, TYPE)   \
  ORIEL_SHMEM_BITS(or, NAME, TYPE)    \
  ORIEL_SHMEM_BITS(xor, NAME, TYPE)
ORIEL_SHMEM_ATOMIC_BIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#undef ORIEL_SHMEM_BITS

/* Names of earlier specifications. */
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                      \
  TYPE shmem_##NAME##_fetch(const TYPE* source, int pe);   \
  void shmem_##NAME##_set(TYPE* dest, TYPE value, int pe); \
  TYPE shmem_##NAME##_swap(TYPE* dest, TYPE value, int pe);
ORIEL_SHMEM_FORMER_SWAP_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                   \
  TYPE shmem_##NAME##_cswap(TYPE* dest, TYPE cond, TYPE value, int pe); \
  TYPE shmem_##NAME##_finc(TYPE* dest, int pe);                         \
  void shmem_##NAME##_inc(TYPE* dest, int pe);                          \
  TYPE shmem_##NAME##_fadd(TYPE* dest, TYPE value, int pe);             \
  void shmem_##NAME##_add(TYPE* dest, TYPE value, int pe);
ORIEL_SHMEM_FORMER_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#ifdef __cplusplus
}
#endif
#endif
