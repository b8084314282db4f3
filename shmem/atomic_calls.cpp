// The calls of oriel_shmem/atomics.h.
#include "shmem/atomics.hpp"
#include "shmem/definitions.hpp"

using oriel::atomic_op;
using oriel::shmem::compare_swap;
using oriel::shmem::compare_swap_into;
using oriel::shmem::completion;
using oriel::shmem::fetch_update;
using oriel::shmem::fetch_update_nbi;
using oriel::shmem::update;

#define ORIEL_SHMEM_NUMBERED(ours, op) \
  static_assert(static_cast<int>(oriel_shmem_op_##ours) == static_cast<int>(atomic_op::op))
ORIEL_SHMEM_NUMBERED(set, replace);
ORIEL_SHMEM_NUMBERED(fetch, no_op);
ORIEL_SHMEM_NUMBERED(add, sum);
ORIEL_SHMEM_NUMBERED(and, band);
ORIEL_SHMEM_NUMBERED(or, bor);
ORIEL_SHMEM_NUMBERED(xor, bxor);

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                              \
  ORIEL_SHMEM_DEFINE(TYPE, NAME##_atomic_fetch,                                                    \
                     return fetch_update<atomic_op::no_op>(ctx, source, static_cast<TYPE>(0), pe), \
                     const TYPE* source, int pe)                                                   \
  ORIEL_SHMEM_DEFINE(                                                                              \
      void, NAME##_atomic_fetch_nbi,                                                               \
      fetch_update_nbi<atomic_op::no_op>(ctx, fetch, source, static_cast<TYPE>(0), pe),            \
      TYPE* fetch, const TYPE* source, int pe)                                                     \
  ORIEL_SHMEM_DEFINE(void, NAME##_atomic_set, update<atomic_op::replace>(ctx, dest, value, pe),    \
                     TYPE* dest, TYPE value, int pe)                                               \
  ORIEL_SHMEM_DEFINE(TYPE, NAME##_atomic_swap,                                                     \
                     return fetch_update<atomic_op::replace>(ctx, dest, value, pe), TYPE * dest,   \
                     TYPE value, int pe)                                                           \
  ORIEL_SHMEM_DEFINE(void, NAME##_atomic_swap_nbi,                                                 \
                     fetch_update_nbi<atomic_op::replace>(ctx, fetch, dest, value, pe),            \
                     TYPE* fetch, TYPE* dest, TYPE value, int pe)
ORIEL_SHMEM_ATOMIC_AND_REAL_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#define ORIEL_SHMEM_OPERATION(NAME, TYPE, OP, MEANS)                                            \
  ORIEL_SHMEM_DEFINE(TYPE, NAME##_atomic_fetch_##OP,                                            \
                     return fetch_update<MEANS>(ctx, dest, value, pe), TYPE * dest, TYPE value, \
                     int pe)                                                                    \
  ORIEL_SHMEM_DEFINE(void, NAME##_atomic_fetch_##OP##_nbi,                                      \
                     fetch_update_nbi<MEANS>(ctx, fetch, dest, value, pe), TYPE* fetch,         \
                     TYPE* dest, TYPE value, int pe)                                            \
  ORIEL_SHMEM_DEFINE(void, NAME##_atomic_##OP, update<MEANS>(ctx, dest, value, pe), TYPE* dest, \
                     TYPE value, int pe)

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                              \
  ORIEL_SHMEM_OPERATION(NAME, TYPE, add, atomic_op::sum)                                           \
  ORIEL_SHMEM_DEFINE(TYPE, NAME##_atomic_fetch_inc,                                                \
                     return fetch_update<atomic_op::sum>(ctx, dest, static_cast<TYPE>(1), pe),     \
                     TYPE * dest, int pe)                                                          \
  ORIEL_SHMEM_DEFINE(void, NAME##_atomic_fetch_inc_nbi,                                            \
                     fetch_update_nbi<atomic_op::sum>(ctx, fetch, dest, static_cast<TYPE>(1), pe), \
                     TYPE* fetch, TYPE* dest, int pe)                                              \
  ORIEL_SHMEM_DEFINE(void, NAME##_atomic_inc,                                                      \
                     update<atomic_op::sum>(ctx, dest, static_cast<TYPE>(1), pe), TYPE* dest,      \
                     int pe)                                                                       \
  ORIEL_SHMEM_DEFINE(TYPE, NAME##_atomic_compare_swap,                                             \
                     return compare_swap(ctx, dest, cond, value, pe), TYPE * dest, TYPE cond,      \
                     TYPE value, int pe)                                                           \
  ORIEL_SHMEM_DEFINE(void, NAME##_atomic_compare_swap_nbi,                                         \
                     compare_swap_into(ctx, fetch, dest, cond, value, pe, completion::by_quiet),   \
                     TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe)
ORIEL_SHMEM_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                     \
  ORIEL_SHMEM_OPERATION(NAME, TYPE, and, atomic_op::band) \
  ORIEL_SHMEM_OPERATION(NAME, TYPE, or, atomic_op::bor)   \
  ORIEL_SHMEM_OPERATION(NAME, TYPE, xor, atomic_op::bxor)
ORIEL_SHMEM_ATOMIC_BIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

// Names of earlier specifications.
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                         \
  TYPE pshmem_##NAME##_fetch(const TYPE* source, int pe) {    \
    return pshmem_##NAME##_atomic_fetch(source, pe);          \
  }                                                           \
  ORIEL_SHMEM_WEAK(NAME##_fetch)                              \
  void pshmem_##NAME##_set(TYPE* dest, TYPE value, int pe) {  \
    pshmem_##NAME##_atomic_set(dest, value, pe);              \
  }                                                           \
  ORIEL_SHMEM_WEAK(NAME##_set)                                \
  TYPE pshmem_##NAME##_swap(TYPE* dest, TYPE value, int pe) { \
    return pshmem_##NAME##_atomic_swap(dest, value, pe);      \
  }                                                           \
  ORIEL_SHMEM_WEAK(NAME##_swap)
ORIEL_SHMEM_FORMER_SWAP_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                     \
  TYPE pshmem_##NAME##_cswap(TYPE* dest, TYPE cond, TYPE value, int pe) { \
    return pshmem_##NAME##_atomic_compare_swap(dest, cond, value, pe);    \
  }                                                                       \
  ORIEL_SHMEM_WEAK(NAME##_cswap)                                          \
  TYPE pshmem_##NAME##_finc(TYPE* dest, int pe) {                         \
    return pshmem_##NAME##_atomic_fetch_inc(dest, pe);                    \
  }                                                                       \
  ORIEL_SHMEM_WEAK(NAME##_finc)                                           \
  void pshmem_##NAME##_inc(TYPE* dest, int pe) {                          \
    pshmem_##NAME##_atomic_inc(dest, pe);                                 \
  }                                                                       \
  ORIEL_SHMEM_WEAK(NAME##_inc)                                            \
  TYPE pshmem_##NAME##_fadd(TYPE* dest, TYPE value, int pe) {             \
    return pshmem_##NAME##_atomic_fetch_add(dest, value, pe);             \
  }                                                                       \
  ORIEL_SHMEM_WEAK(NAME##_fadd)                                           \
  void pshmem_##NAME##_add(TYPE* dest, TYPE value, int pe) {              \
    pshmem_##NAME##_atomic_add(dest, value, pe);                          \
  }                                                                       \
  ORIEL_SHMEM_WEAK(NAME##_add)
ORIEL_SHMEM_FORMER_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

// What oriel_shmem/inline_atomics.h calls.
void oriel_shmem_update(shmem_ctx_t ctx, int op, void* dest, const void* value, size_t bytes,
                        int pe) {
  oriel::shmem::update_far(ctx, static_cast<atomic_op>(op), dest, value, bytes, pe);
}
void oriel_shmem_fetch_update(shmem_ctx_t ctx, int op, void* before, const void* dest,
                              const void* value, size_t bytes, int pe) {
  oriel::shmem::fetch_update_far(ctx, static_cast<atomic_op>(op), before, dest, value, bytes, pe,
                                 completion::on_return);
}
void oriel_shmem_compare_swap(shmem_ctx_t ctx, void* before, void* dest, const void* cond,
                              const void* value, size_t bytes, int pe) {
  oriel::shmem::compare_swap_far(ctx, before, dest, cond, value, bytes, pe, completion::on_return);
}

// NOLINTEND(bugprone-macro-parentheses)

}  // extern "C"
