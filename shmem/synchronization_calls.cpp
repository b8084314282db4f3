// The calls of oriel_shmem/synchronization.h that order and complete.
#include "shmem/process.hpp"

using oriel::shmem::process;

extern "C" {

void shmem_quiet(void) {
  process::here("shmem_quiet").quiet();
}
void shmem_ctx_quiet(shmem_ctx_t) {
  shmem_quiet();
}
void shmem_fence(void) {
  process::here("shmem_fence").quiet();
}
void shmem_ctx_fence(shmem_ctx_t) {
  shmem_fence();
}

void shmem_barrier_all(void) {
  process::here("shmem_barrier_all").barrier_all();
}
void shmem_sync_all(void) {
  process::here("shmem_sync_all").barrier();
}

}  // extern "C"
