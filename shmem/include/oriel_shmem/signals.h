/* Puts that are followed by a signal. */
#ifndef ORIEL_SHMEM_SIGNALS_H
#define ORIEL_SHMEM_SIGNALS_H

#include "context.h"
#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

/* To other nodes the signal leaves when the data is complete there, on return: the _nbi forms too
 * wait for that. */
#define ORIEL_SHMEM_SIGNALLING(NAME, TYPE)                                                 \
  ORIEL_SHMEM_BOTH(void, NAME##_signal, TYPE* dest, const TYPE* source, size_t nelems,     \
                   uint64_t* sig_addr, uint64_t signal, int sig_op, int pe)                \
  ORIEL_SHMEM_BOTH(void, NAME##_signal_nbi, TYPE* dest, const TYPE* source, size_t nelems, \
                   uint64_t* sig_addr, uint64_t signal, int sig_op, int pe)
#define ORIEL_SHMEM_TYPED(NAME, TYPE) ORIEL_SHMEM_SIGNALLING(NAME##_put, TYPE)
ORIEL_SHMEM_DATA_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED
#define ORIEL_SHMEM_SIZED(BITS) ORIEL_SHMEM_SIGNALLING(put##BITS, void)
ORIEL_SHMEM_SIZES(ORIEL_SHMEM_SIZED)
#undef ORIEL_SHMEM_SIZED
ORIEL_SHMEM_SIGNALLING(putmem, void)
#undef ORIEL_SHMEM_SIGNALLING

/* Of this PE's own signal; the second returns the value that it has waited for. */
uint64_t shmem_signal_fetch(const uint64_t* sig_addr);
uint64_t shmem_signal_wait_until(uint64_t* sig_addr, int cmp, uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
