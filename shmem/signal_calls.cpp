// The calls of oriel_shmem/signals.h.
#include "shmem/conditions.hpp"
#include "shmem/definitions.hpp"
#include "shmem/signals.hpp"

using oriel::shmem::put_signal;

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.
#define ORIEL_SHMEM_PUT_SIGNAL(name, TYPE, BYTES)                                                \
  ORIEL_SHMEM_DEFINE(                                                                            \
      void, name, put_signal(ctx, dest, source, nelems*(BYTES), {sig_addr, signal, sig_op}, pe), \
      TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal,        \
      int sig_op, int pe)
#define ORIEL_SHMEM_SIGNALLING(name, TYPE, BYTES)    \
  ORIEL_SHMEM_PUT_SIGNAL(name##_signal, TYPE, BYTES) \
  ORIEL_SHMEM_PUT_SIGNAL(name##_signal_nbi, TYPE, BYTES)

#define ORIEL_SHMEM_TYPED(NAME, TYPE) ORIEL_SHMEM_SIGNALLING(NAME##_put, TYPE, sizeof(TYPE))
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#define ORIEL_SHMEM_SIZED(BITS) ORIEL_SHMEM_SIGNALLING(put##BITS, void, (BITS) / 8)
ORIEL_SHMEM_SIZES(ORIEL_SHMEM_SIZED)
ORIEL_SHMEM_SIGNALLING(putmem, void, 1)
// NOLINTEND(bugprone-macro-parentheses)

uint64_t pshmem_signal_fetch(const uint64_t* sig_addr) {
  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}
ORIEL_SHMEM_WEAK(signal_fetch)

uint64_t pshmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t value) {
  constexpr const char* call = "shmem_signal_wait_until";
  oriel::shmem::require_comparison(call, cmp);
  uint64_t seen = 0;
  oriel::shmem::wait_until(call, [&] {
    seen = __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
    return oriel::shmem::compares(&seen, cmp, value);
  });
  return seen;
}
ORIEL_SHMEM_WEAK(signal_wait_until)

}  // extern "C"
