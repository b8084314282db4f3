// The calls of oriel_shmem/collectives.h that move data.
#include "shmem/api.hpp"
#include "shmem/collectives.hpp"

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.

// Elements of TYPE, or bytes, of BYTES bytes each.
#define ORIEL_SHMEM_MOVING(BROADCAST, COLLECT, FCOLLECT, ALLTOALL, ALLTOALLS, TYPE, BYTES)       \
  int pshmem_##BROADCAST(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems,       \
                         int PE_root) {                                                          \
    oriel::shmem::broadcast("shmem_broadcast", team, dest, source, nelems*(BYTES), PE_root);     \
    return 0;                                                                                    \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(BROADCAST)                                                                    \
  int pshmem_##COLLECT(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) {       \
    oriel::shmem::collect("shmem_collect", team, dest, source, nelems*(BYTES));                  \
    return 0;                                                                                    \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(COLLECT)                                                                      \
  int pshmem_##FCOLLECT(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) {      \
    oriel::shmem::fcollect("shmem_fcollect", team, dest, source, nelems*(BYTES));                \
    return 0;                                                                                    \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(FCOLLECT)                                                                     \
  int pshmem_##ALLTOALL(shmem_team_t team, TYPE* dest, const TYPE* source, size_t nelems) {      \
    oriel::shmem::alltoall("shmem_alltoall", team, dest, source, nelems*(BYTES));                \
    return 0;                                                                                    \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(ALLTOALL)                                                                     \
  int pshmem_##ALLTOALLS(shmem_team_t team, TYPE* dest, const TYPE* source, ptrdiff_t dst,       \
                         ptrdiff_t sst, size_t nelems) {                                         \
    oriel::shmem::alltoalls("shmem_alltoalls", team, {dest, dst}, {source, sst}, BYTES, nelems); \
    return 0;                                                                                    \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(ALLTOALLS)
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                    \
  ORIEL_SHMEM_MOVING(NAME##_broadcast, NAME##_collect, NAME##_fcollect, NAME##_alltoall, \
                     NAME##_alltoalls, TYPE, sizeof(TYPE))
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
ORIEL_SHMEM_MOVING(broadcastmem, collectmem, fcollectmem, alltoallmem, alltoallsmem, void, 1)

// NOLINTEND(bugprone-macro-parentheses)

}  // extern "C"
