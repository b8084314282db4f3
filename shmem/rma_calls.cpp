// The calls of oriel_shmem/rma.h.
#include "shmem/definitions.hpp"
#include "shmem/strided.hpp"
#include "shmem/transfers.hpp"

using oriel::shmem::completion;
using oriel::shmem::get;
using oriel::shmem::iget;
using oriel::shmem::iput;
using oriel::shmem::put;

namespace {

template <class T>
T get_one(shmem_ctx_t ctx, const T* source, int pe) noexcept {
  T value;
  get(ctx, &value, source, sizeof value, pe);
  return value;
}

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.

// Elements of TYPE, or bytes, of BYTES bytes each.
#define ORIEL_SHMEM_MOVE(name, TYPE, BYTES, way, when)                                         \
  ORIEL_SHMEM_DEFINE(void, name, way(ctx, dest, source, nelems*(BYTES), pe, when), TYPE* dest, \
                     const TYPE* source, size_t nelems, int pe)
#define ORIEL_SHMEM_MOVE_STRIDED(name, TYPE, BYTES, way)                                          \
  ORIEL_SHMEM_DEFINE(void, name, way(ctx, {dest, dst}, {source, sst}, BYTES, nelems, pe),         \
                     TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, \
                     int pe)

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                                      \
  ORIEL_SHMEM_MOVE(NAME##_put, TYPE, sizeof(TYPE), put, completion::on_return)             \
  ORIEL_SHMEM_MOVE(NAME##_get, TYPE, sizeof(TYPE), get, completion::on_return)             \
  ORIEL_SHMEM_MOVE(NAME##_put_nbi, TYPE, sizeof(TYPE), put, completion::by_quiet)          \
  ORIEL_SHMEM_MOVE(NAME##_get_nbi, TYPE, sizeof(TYPE), get, completion::by_quiet)          \
  ORIEL_SHMEM_MOVE_STRIDED(NAME##_iput, TYPE, sizeof(TYPE), iput)                          \
  ORIEL_SHMEM_MOVE_STRIDED(NAME##_iget, TYPE, sizeof(TYPE), iget)                          \
  ORIEL_SHMEM_DEFINE(void, NAME##_p, put(ctx, dest, &value, sizeof value, pe), TYPE* dest, \
                     TYPE value, int pe)                                                   \
  ORIEL_SHMEM_DEFINE(TYPE, NAME##_g, return get_one(ctx, source, pe), const TYPE* source, int pe)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)

#define ORIEL_SHMEM_SIZED(BITS)                                                  \
  ORIEL_SHMEM_MOVE(put##BITS, void, (BITS) / 8, put, completion::on_return)      \
  ORIEL_SHMEM_MOVE(get##BITS, void, (BITS) / 8, get, completion::on_return)      \
  ORIEL_SHMEM_MOVE(put##BITS##_nbi, void, (BITS) / 8, put, completion::by_quiet) \
  ORIEL_SHMEM_MOVE(get##BITS##_nbi, void, (BITS) / 8, get, completion::by_quiet) \
  ORIEL_SHMEM_MOVE_STRIDED(iput##BITS, void, (BITS) / 8, iput)                   \
  ORIEL_SHMEM_MOVE_STRIDED(iget##BITS, void, (BITS) / 8, iget)
ORIEL_SHMEM_SIZES(ORIEL_SHMEM_SIZED)

ORIEL_SHMEM_MOVE(putmem, void, 1, put, completion::on_return)
ORIEL_SHMEM_MOVE(getmem, void, 1, get, completion::on_return)
ORIEL_SHMEM_MOVE(putmem_nbi, void, 1, put, completion::by_quiet)
ORIEL_SHMEM_MOVE(getmem_nbi, void, 1, get, completion::by_quiet)

// What oriel_shmem/inline.h calls.
char* oriel_shmem_reach(shmem_ctx_t ctx, const void* at, int pe) {
  return oriel::shmem::reach(ctx, at, 1, pe);
}
void oriel_shmem_put(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int pe) {
  put(ctx, dest, source, bytes, pe);
}
void oriel_shmem_get(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int pe) {
  get(ctx, dest, source, bytes, pe);
}

// NOLINTEND(bugprone-macro-parentheses)

}  // extern "C"
