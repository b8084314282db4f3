// MPI_Alloc_mem and MPI_Free_mem: memory that the ranks of a node map, so that windows on it are
// reached by load and store.
#include <exception>
#include <span>

#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/info_hints.hpp"
#include "mpi/order.hpp"
#include "mpi/process.hpp"

namespace oriel::mpi {
namespace {

// Returns null where the host must allocate: no session, 0 bytes, or no room in the node's memory.
void* allocate(MPI_Aint size, MPI_Info hints) noexcept {
  process* const p = process::get();
  if (p == nullptr || size <= 0) return nullptr;
  try {
    return p->job.alloc_mem(static_cast<std::size_t>(size), hints_of(hints)).data();
  } catch (const std::exception&) {
    return nullptr;
  }
}

// Whether it was oriel's to free.
bool release(void* base) noexcept {
  process* const p = process::get();
  return p != nullptr && base != nullptr &&
         p->job.free_mem({static_cast<std::byte*>(base), 1}).ok();
}

}  // namespace
}  // namespace oriel::mpi

// Another thread may have had the memory, and freed it.
ORIEL_EXPORT int MPI_Alloc_mem(MPI_Aint size, MPI_Info hints, void* base) {
  void* const memory = oriel::mpi::allocate(size, hints);
  if (memory == nullptr) return oriel::mpi::heard(ORIEL_HOST(Alloc_mem)(size, hints, base));
  *static_cast<void**>(base) = memory;
  return oriel::mpi::heard(MPI_SUCCESS);
}
ORIEL_ALSO_PMPI(Alloc_mem);

ORIEL_EXPORT int MPI_Free_mem(void* base) {
  return oriel::mpi::release(base) ? MPI_SUCCESS : ORIEL_HOST(Free_mem)(base);
}
ORIEL_ALSO_PMPI(Free_mem);
