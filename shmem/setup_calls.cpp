// The calls of oriel_shmem/setup.h.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "shmem/api.hpp"
#include "shmem/process.hpp"

using oriel::rank;
using oriel::shmem::process;
using oriel::shmem::symmetric_region;

namespace {

constexpr const char* name_of_library = "oriel OpenSHMEM";
static_assert(sizeof "oriel OpenSHMEM" <= SHMEM_MAX_NAME_LEN);

// The environment of OpenSHMEM that programs' users may ask for.
void print_what_is_asked(const process& p) noexcept {
  if (p.me != 0) return;
  if (std::getenv("SHMEM_VERSION") != nullptr)
    std::printf("OpenSHMEM %d.%d, %s\n", SHMEM_MAJOR_VERSION, SHMEM_MINOR_VERSION, name_of_library);
  if (std::getenv("SHMEM_INFO") == nullptr) return;
  std::printf(
      "SHMEM_VERSION         prints the version\n"
      "SHMEM_INFO            prints this\n"
      "SHMEM_SYMMETRIC_SIZE  bytes of the symmetric heap, which may end in K, M, G or T: %zu\n",
      p.memory.heap_bytes());
}

void open(int threads) noexcept {
  if (process::get() != nullptr) return;
  process::open(threads);
  print_what_is_asked(*process::get());
}

}  // namespace

extern "C" {

void pshmem_init(void) {
  open(SHMEM_THREAD_SINGLE);
}
ORIEL_SHMEM_WEAK(init)

int pshmem_init_thread(int requested, int* provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) return 1;
  open(requested);
  pshmem_query_thread(provided);
  return 0;
}
ORIEL_SHMEM_WEAK(init_thread)

void pshmem_query_thread(int* provided) {
  *provided = process::here("shmem_query_thread").threads;
}
ORIEL_SHMEM_WEAK(query_thread)

void pshmem_finalize(void) {
  process::close();
}
ORIEL_SHMEM_WEAK(finalize)

void pshmem_global_exit(int status) {
  oriel::shmem::end_job(status);
}
ORIEL_SHMEM_WEAK(global_exit)

int pshmem_my_pe(void) {
  return process::here("shmem_my_pe").me;
}
ORIEL_SHMEM_WEAK(my_pe)

int pshmem_n_pes(void) {
  return process::here("shmem_n_pes").pes;
}
ORIEL_SHMEM_WEAK(n_pes)

void pshmem_info_get_version(int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}
ORIEL_SHMEM_WEAK(info_get_version)

void pshmem_info_get_name(char* name) {
  std::strcpy(name, name_of_library);  // NOLINT: the caller's room is SHMEM_MAX_NAME_LEN
}
ORIEL_SHMEM_WEAK(info_get_name)

int pshmem_pe_accessible(int pe) {
  const process& p = process::here("shmem_pe_accessible");
  return pe >= 0 && pe < p.pes ? 1 : 0;
}
ORIEL_SHMEM_WEAK(pe_accessible)

int pshmem_addr_accessible(const void* addr, int pe) {
  process& p = process::here("shmem_addr_accessible");
  return pshmem_pe_accessible(pe) != 0 && p.memory.region_of(addr) != nullptr ? 1 : 0;
}
ORIEL_SHMEM_WEAK(addr_accessible)

void* pshmem_ptr(const void* dest, int pe) {
  process& p = process::here("shmem_ptr");
  const symmetric_region* const region = p.memory.region_of(dest);
  if (region == nullptr || pshmem_pe_accessible(pe) == 0) return nullptr;
  std::byte* const there = region->mapped(rank{pe});
  return there == nullptr ? nullptr : there + region->disp_of(dest).value;
}
ORIEL_SHMEM_WEAK(ptr)

void start_pes(int) {
  shmem_init();
}
int _my_pe(void) {
  return shmem_my_pe();
}
int _num_pes(void) {
  return shmem_n_pes();
}
int my_pe(void) {
  return shmem_my_pe();
}
int num_pes(void) {
  return shmem_n_pes();
}

void pshmem_pcontrol(int, ...) {}
ORIEL_SHMEM_WEAK(pcontrol)

void pshmem_set_cache_inv(void) {}
ORIEL_SHMEM_WEAK(set_cache_inv)
void pshmem_set_cache_line_inv(void*) {}
ORIEL_SHMEM_WEAK(set_cache_line_inv)
void pshmem_clear_cache_inv(void) {}
ORIEL_SHMEM_WEAK(clear_cache_inv)
void pshmem_clear_cache_line_inv(void*) {}
ORIEL_SHMEM_WEAK(clear_cache_line_inv)
void pshmem_udcflush(void) {}
ORIEL_SHMEM_WEAK(udcflush)
void pshmem_udcflush_line(void*) {}
ORIEL_SHMEM_WEAK(udcflush_line)

}  // extern "C"
