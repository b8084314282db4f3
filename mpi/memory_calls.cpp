// MPI_Alloc_mem and MPI_Free_mem: memory that the ranks of a node map, so that windows on it are
// reached by load and store.
#include <map>
#include <mutex>
#include <span>

#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/info_hints.hpp"
#include "mpi/process.hpp"

namespace oriel::mpi {
namespace {

// Returns null where the host must allocate: no session, 0 bytes, or no room in the node's memory.
void* allocate(MPI_Aint size, MPI_Info hints) noexcept {
  process* const p = process::get();
  if (p == nullptr || size <= 0) return nullptr;
  try {
    const std::span<std::byte> memory =
        p->job.alloc_mem(static_cast<std::size_t>(size), hints_of(hints));
    const std::lock_guard hold(p->given_mutex);
    p->given.emplace(memory.data(), memory.size());
    return memory.data();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Whether it was oriel's to free.
bool release(void* base) noexcept {
  process* const p = process::get();
  if (p == nullptr) return false;
  std::size_t size = 0;
  {
    const std::lock_guard hold(p->given_mutex);
    const auto found = p->given.find(base);
    if (found == p->given.end()) return false;
    size = found->second;
    p->given.erase(found);
  }
  return p->job.free_mem({static_cast<std::byte*>(base), size}).ok();
}

}  // namespace
}  // namespace oriel::mpi

ORIEL_EXPORT int MPI_Alloc_mem(MPI_Aint size, MPI_Info hints, void* base) {
  void* const memory = oriel::mpi::allocate(size, hints);
  if (memory == nullptr) return ORIEL_HOST(Alloc_mem)(size, hints, base);
  *static_cast<void**>(base) = memory;
  return MPI_SUCCESS;
}
ORIEL_ALSO_PMPI(Alloc_mem);

ORIEL_EXPORT int MPI_Free_mem(void* base) {
  return oriel::mpi::release(base) ? MPI_SUCCESS : ORIEL_HOST(Free_mem)(base);
}
ORIEL_ALSO_PMPI(Free_mem);
