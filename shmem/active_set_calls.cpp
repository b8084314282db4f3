// The calls of oriel_shmem/active_sets.h.
#include "shmem/active_sets.hpp"
#include "shmem/api.hpp"

using oriel::atomic_op;
using oriel::shmem::active_set;
using oriel::shmem::element;
using oriel::shmem::process;
using oriel::shmem::reduced_by;

namespace {

// The elements of a reduction that counts them by int.
std::size_t counted(const char* call, int nreduce) noexcept {
  if (nreduce < 0)
    oriel::shmem::fail(std::string(call) + ": nreduce is " + std::to_string(nreduce) +
                       "; valid: 0 or more");
  return static_cast<std::size_t>(nreduce);
}

}  // namespace

extern "C" {

void pshmem_sync(ORIEL_SHMEM_SET, long* pSync) {
  active_set("shmem_sync", PE_start, logPE_stride, PE_size, pSync).meet();
}
ORIEL_SHMEM_WEAK(sync)
void pshmem_barrier(ORIEL_SHMEM_SET, long* pSync) {
  process::here("shmem_barrier").quiet();
  active_set("shmem_barrier", PE_start, logPE_stride, PE_size, pSync).meet();
}
ORIEL_SHMEM_WEAK(barrier)

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.

#define ORIEL_SHMEM_THE_SET(CALL) active_set(CALL, PE_start, logPE_stride, PE_size, pSync)
#define ORIEL_SHMEM_SIZED(BITS)                                                                  \
  void pshmem_broadcast##BITS(void* dest, const void* source, size_t nelems, int PE_root,        \
                              ORIEL_SHMEM_SET, long* pSync) {                                    \
    broadcast(ORIEL_SHMEM_THE_SET("shmem_broadcast"), dest, source, nelems*(BITS) / 8, PE_root); \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(broadcast##BITS)                                                              \
  void pshmem_collect##BITS(void* dest, const void* source, size_t nelems, ORIEL_SHMEM_SET,      \
                            long* pSync) {                                                       \
    collect(ORIEL_SHMEM_THE_SET("shmem_collect"), dest, source, nelems*(BITS) / 8);              \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(collect##BITS)                                                                \
  void pshmem_fcollect##BITS(void* dest, const void* source, size_t nelems, ORIEL_SHMEM_SET,     \
                             long* pSync) {                                                      \
    fcollect(ORIEL_SHMEM_THE_SET("shmem_fcollect"), dest, source, nelems*(BITS) / 8);            \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(fcollect##BITS)                                                               \
  void pshmem_alltoall##BITS(void* dest, const void* source, size_t nelems, ORIEL_SHMEM_SET,     \
                             long* pSync) {                                                      \
    alltoall(ORIEL_SHMEM_THE_SET("shmem_alltoall"), dest, source, nelems*(BITS) / 8);            \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(alltoall##BITS)                                                               \
  void pshmem_alltoalls##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst,      \
                              size_t nelems, ORIEL_SHMEM_SET, long* pSync) {                     \
    alltoalls(ORIEL_SHMEM_THE_SET("shmem_alltoalls"), {dest, dst}, {source, sst}, (BITS) / 8,    \
              nelems);                                                                           \
  }                                                                                              \
  ORIEL_SHMEM_WEAK(alltoalls##BITS)
ORIEL_SHMEM_SIZED(32)
ORIEL_SHMEM_SIZED(64)
#undef ORIEL_SHMEM_SIZED

#define ORIEL_SHMEM_TO_ALL(OP, MEANS, NAME, TYPE)                                                  \
  void pshmem_##NAME##_##OP##_to_all(TYPE* dest, const TYPE* source, int nreduce, ORIEL_SHMEM_SET, \
                                     TYPE*, long* pSync) {                                         \
    reduce(ORIEL_SHMEM_THE_SET("shmem_" #OP "_to_all"), dest, source,                              \
           counted("shmem_" #OP "_to_all", nreduce),                                               \
           reduced_by<atomic_op::MEANS, element<TYPE>::type>);                                     \
  }                                                                                                \
  ORIEL_SHMEM_WEAK(NAME##_##OP##_to_all)
#define ORIEL_SHMEM_TYPED(NAME, TYPE)       \
  ORIEL_SHMEM_TO_ALL(and, band, NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(or, bor, NAME, TYPE)   \
  ORIEL_SHMEM_TO_ALL(xor, bxor, NAME, TYPE)
ORIEL_SHMEM_FORMER_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)      \
  ORIEL_SHMEM_TO_ALL(max, max, NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(min, min, NAME, TYPE)
ORIEL_SHMEM_TO_ALL_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_TYPED(NAME, TYPE)      \
  ORIEL_SHMEM_TO_ALL(sum, sum, NAME, TYPE) \
  ORIEL_SHMEM_TO_ALL(prod, prod, NAME, TYPE)
ORIEL_SHMEM_TO_ALL_TYPES(ORIEL_SHMEM_TYPED)
ORIEL_SHMEM_COMPLEX_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

// NOLINTEND(bugprone-macro-parentheses)

}  // extern "C"
