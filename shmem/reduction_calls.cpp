// The calls of oriel_shmem/collectives.h that reduce.
#include "shmem/api.hpp"
#include "shmem/reductions.hpp"

using oriel::atomic_op;
using oriel::shmem::element;
using oriel::shmem::reduce;
using oriel::shmem::reduced_by;

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.

#define ORIEL_SHMEM_REDUCTION(OP, MEANS, NAME, TYPE)                                   \
  int pshmem_##NAME##_##OP##_reduce(shmem_team_t team, TYPE* dest, const TYPE* source, \
                                    size_t nreduce) {                                  \
    reduce("shmem_" #OP "_reduce", team, dest, source, nreduce,                        \
           reduced_by<atomic_op::MEANS, element<TYPE>::type>);                         \
    return 0;                                                                          \
  }                                                                                    \
  ORIEL_SHMEM_WEAK(NAME##_##OP##_reduce)
#define ORIEL_SHMEM_TYPED(NAME, TYPE)          \
  ORIEL_SHMEM_REDUCTION(and, band, NAME, TYPE) \
  ORIEL_SHMEM_REDUCTION(or, bor, NAME, TYPE)   \
  ORIEL_SHMEM_REDUCTION(xor, bxor, NAME, TYPE)
ORIEL_SHMEM_REDUCED_BIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)         \
  ORIEL_SHMEM_REDUCTION(max, max, NAME, TYPE) \
  ORIEL_SHMEM_REDUCTION(min, min, NAME, TYPE)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)         \
  ORIEL_SHMEM_REDUCTION(sum, sum, NAME, TYPE) \
  ORIEL_SHMEM_REDUCTION(prod, prod, NAME, TYPE)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
ORIEL_SHMEM_COMPLEX_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

// NOLINTEND(bugprone-macro-parentheses)

}  // extern "C"
