/* Atomic operations on memory that is mapped here, as oriel_shmem/inline.h has put and get. On x86
 * all but `set` are full fences, as the processor's atomic instructions are. */
#ifndef ORIEL_SHMEM_INLINE_ATOMICS_H
#define ORIEL_SHMEM_INLINE_ATOMICS_H

#include "atomics.h"
#include "inline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Programs do not call these: what cannot be inlined. `op`: an oriel_shmem_op. */
void oriel_shmem_update(shmem_ctx_t ctx, int op, void* dest, const void* value, size_t bytes,
                        int pe);
void oriel_shmem_fetch_update(shmem_ctx_t ctx, int op, void* before, const void* dest,
                              const void* value, size_t bytes, int pe);
void oriel_shmem_compare_swap(shmem_ctx_t ctx, void* before, void* dest, const void* cond,
                              const void* value, size_t bytes, int pe);

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                              \
  ORIEL_SHMEM_INLINE TYPE shmem_ctx_##NAME##_atomic_fetch(shmem_ctx_t ctx, const TYPE* source,     \
                                                          int pe) {                                \
    TYPE* const there = (TYPE*)(void*)oriel_shmem_reach(ctx, source, pe);                          \
    TYPE before = 0;                                                                               \
    if (there != (TYPE*)0)                                                                         \
      __atomic_load(there, &before, __ATOMIC_SEQ_CST);                                             \
    else                                                                                           \
      oriel_shmem_fetch_update(ctx, oriel_shmem_op_fetch, &before, source, &before, sizeof before, \
                               pe);                                                                \
    return before;                                                                                 \
  }                                                                                                \
  ORIEL_SHMEM_INLINE TYPE shmem_##NAME##_atomic_fetch(const TYPE* source, int pe) {                \
    return shmem_ctx_##NAME##_atomic_fetch(SHMEM_CTX_DEFAULT, source, pe);                         \
  }                                                                                                \
  ORIEL_SHMEM_INLINE void shmem_ctx_##NAME##_atomic_set(shmem_ctx_t ctx, TYPE* dest, TYPE value,   \
                                                        int pe) {                                  \
    TYPE* const there = (TYPE*)(void*)oriel_shmem_reach(ctx, dest, pe);                            \
    TYPE operand = value;                                                                          \
    if (there != (TYPE*)0)                                                                         \
      __atomic_store(there, &operand, __ATOMIC_RELEASE);                                           \
    else                                                                                           \
      oriel_shmem_update(ctx, oriel_shmem_op_set, dest, &operand, sizeof operand, pe);             \
  }                                                                                                \
  ORIEL_SHMEM_INLINE void shmem_##NAME##_atomic_set(TYPE* dest, TYPE value, int pe) {              \
    shmem_ctx_##NAME##_atomic_set(SHMEM_CTX_DEFAULT, dest, value, pe);                             \
  }                                                                                                \
  ORIEL_SHMEM_INLINE TYPE shmem_ctx_##NAME##_atomic_swap(shmem_ctx_t ctx, TYPE* dest, TYPE value,  \
                                                         int pe) {                                 \
    TYPE* const there = (TYPE*)(void*)oriel_shmem_reach(ctx, dest, pe);                            \
    TYPE operand = value, before;                                                                  \
    if (there != (TYPE*)0)                                                                         \
      __atomic_exchange(there, &operand, &before, __ATOMIC_SEQ_CST);                               \
    else                                                                                           \
      oriel_shmem_fetch_update(ctx, oriel_shmem_op_set, &before, dest, &operand, sizeof operand,   \
                               pe);                                                                \
    return before;                                                                                 \
  }                                                                                                \
  ORIEL_SHMEM_INLINE TYPE shmem_##NAME##_atomic_swap(TYPE* dest, TYPE value, int pe) {             \
    return shmem_ctx_##NAME##_atomic_swap(SHMEM_CTX_DEFAULT, dest, value, pe);                     \
  }
ORIEL_SHMEM_ATOMIC_AND_REAL_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

/* By one instruction, with a result and without. */
#define ORIEL_SHMEM_INSTRUCTION(OP, NAME, TYPE)                                                   \
  ORIEL_SHMEM_INLINE TYPE shmem_ctx_##NAME##_atomic_fetch_##OP(shmem_ctx_t ctx, TYPE* dest,       \
                                                               TYPE value, int pe) {              \
    TYPE* const there = (TYPE*)(void*)oriel_shmem_reach(ctx, dest, pe);                           \
    const TYPE operand = value;                                                                   \
    TYPE before;                                                                                  \
    if (there != (TYPE*)0) return __atomic_fetch_##OP(there, value, __ATOMIC_SEQ_CST);            \
    oriel_shmem_fetch_update(ctx, oriel_shmem_op_##OP, &before, dest, &operand, sizeof operand,   \
                             pe);                                                                 \
    return before;                                                                                \
  }                                                                                               \
  ORIEL_SHMEM_INLINE TYPE shmem_##NAME##_atomic_fetch_##OP(TYPE* dest, TYPE value, int pe) {      \
    return shmem_ctx_##NAME##_atomic_fetch_##OP(SHMEM_CTX_DEFAULT, dest, value, pe);              \
  }                                                                                               \
  ORIEL_SHMEM_INLINE void shmem_ctx_##NAME##_atomic_##OP(shmem_ctx_t ctx, TYPE* dest, TYPE value, \
                                                         int pe) {                                \
    TYPE* const there = (TYPE*)(void*)oriel_shmem_reach(ctx, dest, pe);                           \
    const TYPE operand = value;                                                                   \
    if (there != (TYPE*)0)                                                                        \
      (void)__atomic_fetch_##OP(there, value, __ATOMIC_SEQ_CST);                                  \
    else                                                                                          \
      oriel_shmem_update(ctx, oriel_shmem_op_##OP, dest, &operand, sizeof operand, pe);           \
  }                                                                                               \
  ORIEL_SHMEM_INLINE void shmem_##NAME##_atomic_##OP(TYPE* dest, TYPE value, int pe) {            \
    shmem_ctx_##NAME##_atomic_##OP(SHMEM_CTX_DEFAULT, dest, value, pe);                           \
  }

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                             \
  ORIEL_SHMEM_INSTRUCTION(add, NAME, TYPE)                                                        \
  ORIEL_SHMEM_INLINE TYPE shmem_ctx_##NAME##_atomic_fetch_inc(shmem_ctx_t ctx, TYPE* dest,        \
                                                              int pe) {                           \
    return shmem_ctx_##NAME##_atomic_fetch_add(ctx, dest, 1, pe);                                 \
  }                                                                                               \
  ORIEL_SHMEM_INLINE TYPE shmem_##NAME##_atomic_fetch_inc(TYPE* dest, int pe) {                   \
    return shmem_ctx_##NAME##_atomic_fetch_add(SHMEM_CTX_DEFAULT, dest, 1, pe);                   \
  }                                                                                               \
  ORIEL_SHMEM_INLINE void shmem_ctx_##NAME##_atomic_inc(shmem_ctx_t ctx, TYPE* dest, int pe) {    \
    shmem_ctx_##NAME##_atomic_add(ctx, dest, 1, pe);                                              \
  }                                                                                               \
  ORIEL_SHMEM_INLINE void shmem_##NAME##_atomic_inc(TYPE* dest, int pe) {                         \
    shmem_ctx_##NAME##_atomic_add(SHMEM_CTX_DEFAULT, dest, 1, pe);                                \
  }                                                                                               \
  ORIEL_SHMEM_INLINE TYPE shmem_ctx_##NAME##_atomic_compare_swap(shmem_ctx_t ctx, TYPE* dest,     \
                                                                 TYPE cond, TYPE value, int pe) { \
    TYPE* const there = (TYPE*)(void*)oriel_shmem_reach(ctx, dest, pe);                           \
    const TYPE expected = cond, operand = value;                                                  \
    TYPE before = cond;                                                                           \
    if (there != (TYPE*)0)                                                                        \
      (void)__atomic_compare_exchange_n(there, &before, value, 0, __ATOMIC_SEQ_CST,               \
                                        __ATOMIC_SEQ_CST);                                        \
    else                                                                                          \
      oriel_shmem_compare_swap(ctx, &before, dest, &expected, &operand, sizeof operand, pe);      \
    return before;                                                                                \
  }                                                                                               \
  ORIEL_SHMEM_INLINE TYPE shmem_##NAME##_atomic_compare_swap(TYPE* dest, TYPE cond, TYPE value,   \
                                                             int pe) {                            \
    return shmem_ctx_##NAME##_atomic_compare_swap(SHMEM_CTX_DEFAULT, dest, cond, value, pe);      \
  }
ORIEL_SHMEM_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#define ORIEL_SHMEM_TYPED(NAME, TYPE)      \
  ORIEL_SHMEM_INSTRUCTION(and, NAME, TYPE) \
  ORIEL_SHMEM_INSTRUCTION(or, NAME, TYPE)  \
  ORIEL_SHMEM_INSTRUCTION(xor, NAME, TYPE)
ORIEL_SHMEM_ATOMIC_BIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#undef ORIEL_SHMEM_INSTRUCTION

#ifdef __cplusplus
}
#endif
#endif
