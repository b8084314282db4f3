// The calls of oriel_shmem/memory.h.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "shmem/guard.hpp"
#include "shmem/process.hpp"

using oriel::shmem::fail;
using oriel::shmem::guarded;
using oriel::shmem::heap_space;
using oriel::shmem::process;

namespace {

// With ORIEL_CHECK, that all PEs ask for the same: else their heaps go apart unnoticed.
void compare(process& p, const char* call, std::uint64_t asked) noexcept {
  if (!p.checks) return;
  const auto all = guarded(call, [&] { return p.world.allgather(asked); });
  for (std::size_t pe = 0; pe < all.size(); ++pe)
    if (all[pe] != all.front())
      fail(std::string(call) + ": PE 0 gives " + std::to_string(all.front()) + " and PE " +
           std::to_string(pe) + " " + std::to_string(all[pe]) +
           "; all PEs call it with the same arguments");
}

void* take(process& p, const char* call, std::size_t bytes, std::size_t alignment) noexcept {
  const auto offset = guarded(call, [&] { return p.space.take(bytes, alignment); });
  return offset ? p.memory.heap.begin + *offset : nullptr;
}

// Of what begins at `p`; ends the job where no allocation does.
std::size_t offset_of(process& p, const char* call, const void* at) noexcept {
  const std::size_t offset = p.memory.heap.disp_of(at).value;
  if (!p.space.size_at(offset))
    fail(std::string(call) + ": no allocation of the symmetric heap begins at this address");
  return offset;
}

void give_back(process& p, const char* call, std::size_t offset) noexcept {
  guarded(call, [&] { p.space.give_back(offset); });
}

// Cleared memory is clear on all PEs before any may write to it.
void* allocate(const char* call, std::size_t bytes, std::size_t alignment, bool clear) noexcept {
  process& p = process::here(call);
  if (bytes == 0 || !std::has_single_bit(alignment)) return nullptr;
  compare(p, call, bytes);
  void* const made = take(p, call, bytes, alignment);
  if (clear && made != nullptr) std::memset(made, 0, bytes);
  p.barrier_all();
  return made;
}

}  // namespace

extern "C" {

void* pshmem_malloc(size_t size) {
  return allocate("shmem_malloc", size, heap_space::granule, false);
}
ORIEL_SHMEM_WEAK(malloc)

void* pshmem_calloc(size_t count, size_t size) {
  const bool fits = size == 0 || count <= std::numeric_limits<size_t>::max() / size;
  return allocate("shmem_calloc", fits ? count * size : std::numeric_limits<size_t>::max(),
                  heap_space::granule, true);
}
ORIEL_SHMEM_WEAK(calloc)

void* pshmem_align(size_t alignment, size_t size) {
  return allocate("shmem_align", size, alignment, false);
}
ORIEL_SHMEM_WEAK(align)

void* pshmem_malloc_with_hints(size_t size, long) {
  return allocate("shmem_malloc_with_hints", size, heap_space::granule, false);
}
ORIEL_SHMEM_WEAK(malloc_with_hints)

void pshmem_free(void* ptr) {
  constexpr const char* call = "shmem_free";
  if (ptr == nullptr) return;
  process& p = process::here(call);
  const std::size_t offset = offset_of(p, call, ptr);
  compare(p, call, offset);
  p.barrier_all();
  give_back(p, call, offset);
}
ORIEL_SHMEM_WEAK(free)

void* pshmem_realloc(void* ptr, size_t size) {
  constexpr const char* call = "shmem_realloc";
  if (ptr == nullptr) return pshmem_malloc(size);
  if (size == 0) return pshmem_free(ptr), nullptr;
  process& p = process::here(call);
  const std::size_t before = offset_of(p, call, ptr);
  compare(p, call, size);
  p.barrier_all();
  void* result = ptr;
  if (!guarded(call, [&] { return p.space.resize(before, size); })) {
    result = take(p, call, size, heap_space::granule);
    if (result != nullptr) {
      std::memcpy(result, ptr, std::min(size, *p.space.size_at(before)));
      give_back(p, call, before);
    }
  }
  p.barrier_all();
  return result;
}
ORIEL_SHMEM_WEAK(realloc)

void* shmalloc(size_t size) {
  return shmem_malloc(size);
}
void* shmemalign(size_t alignment, size_t size) {
  return shmem_align(alignment, size);
}
void* shrealloc(void* ptr, size_t size) {
  return shmem_realloc(ptr, size);
}
void shfree(void* ptr) {
  shmem_free(ptr);
}

}  // extern "C"
