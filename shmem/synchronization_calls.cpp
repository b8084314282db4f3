// The calls of oriel_shmem/synchronization.h that order and complete.
#include "shmem/process.hpp"

using oriel::shmem::process;

extern "C" {

void pshmem_quiet(void) {
  process::here("shmem_quiet").quiet();
}
ORIEL_SHMEM_WEAK(quiet)
void pshmem_ctx_quiet(shmem_ctx_t) {
  pshmem_quiet();
}
ORIEL_SHMEM_WEAK(ctx_quiet)
void pshmem_fence(void) {
  process::here("shmem_fence").quiet();
}
ORIEL_SHMEM_WEAK(fence)
void pshmem_ctx_fence(shmem_ctx_t) {
  pshmem_fence();
}
ORIEL_SHMEM_WEAK(ctx_fence)

void pshmem_barrier_all(void) {
  process::here("shmem_barrier_all").barrier_all();
}
ORIEL_SHMEM_WEAK(barrier_all)
void pshmem_sync_all(void) {
  process::here("shmem_sync_all").barrier();
}
ORIEL_SHMEM_WEAK(sync_all)

}  // extern "C"
