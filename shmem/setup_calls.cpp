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

void shmem_init(void) {
  open(SHMEM_THREAD_SINGLE);
}

int shmem_init_thread(int requested, int* provided) {
  if (requested < SHMEM_THREAD_SINGLE || requested > SHMEM_THREAD_MULTIPLE) return 1;
  open(requested);
  shmem_query_thread(provided);
  return 0;
}

void shmem_query_thread(int* provided) {
  *provided = process::here("shmem_query_thread").threads;
}

void shmem_finalize(void) {
  process::close();
}

void shmem_global_exit(int status) {
  oriel::shmem::end_job(status);
}

int shmem_my_pe(void) {
  return process::here("shmem_my_pe").me;
}

int shmem_n_pes(void) {
  return process::here("shmem_n_pes").pes;
}

void shmem_info_get_version(int* major, int* minor) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

void shmem_info_get_name(char* name) {
  std::strcpy(name, name_of_library);  // NOLINT: the caller's room is SHMEM_MAX_NAME_LEN
}

int shmem_pe_accessible(int pe) {
  const process& p = process::here("shmem_pe_accessible");
  return pe >= 0 && pe < p.pes ? 1 : 0;
}

int shmem_addr_accessible(const void* addr, int pe) {
  process& p = process::here("shmem_addr_accessible");
  return shmem_pe_accessible(pe) != 0 && p.memory.region_of(addr) != nullptr ? 1 : 0;
}

void* shmem_ptr(const void* dest, int pe) {
  process& p = process::here("shmem_ptr");
  const symmetric_region* const region = p.memory.region_of(dest);
  if (region == nullptr || shmem_pe_accessible(pe) == 0) return nullptr;
  std::byte* const there = region->mapped(rank{pe});
  return there == nullptr ? nullptr : there + region->disp_of(dest).value;
}

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

void shmem_pcontrol(int, ...) {}

void shmem_set_cache_inv(void) {}
void shmem_set_cache_line_inv(void*) {}
void shmem_clear_cache_inv(void) {}
void shmem_clear_cache_line_inv(void*) {}
void shmem_udcflush(void) {}
void shmem_udcflush_line(void*) {}

}  // extern "C"
