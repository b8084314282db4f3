// MPI_Win_create, allocate, allocate_shared, create_dynamic, attach, detach and free.
#include "mpi/construct.hpp"
#include "mpi/epochs.hpp"
#include "mpi/failures.hpp"
#include "mpi/guarded.hpp"
#include "mpi/host.hpp"
#include "mpi/performance_variables.hpp"
#include "mpi/process.hpp"
#include "mpi/requests.hpp"

namespace oriel::mpi {
namespace {

// By value, as MPI passes it: `where` is the address of the caller's pointer.
void tell_base(void* where, void* base) noexcept {
  *static_cast<void**>(where) = base;
}

int attach(mpi_window& w, call_site at, void* base, MPI_Aint size) noexcept {
  if (w.flavor != MPI_WIN_FLAVOR_DYNAMIC && !w.any.assertions().has(assertion::attach))
    return raise_class(w, at, MPI_ERR_RMA_FLAVOR,
                       "MPI_Win_attach: only windows made by MPI_Win_create_dynamic attach memory");
  if (size < 0) return raise_class(w, at, MPI_ERR_SIZE, "MPI_Win_attach: the size is negative");
  const std::lock_guard hold(w.attached_mutex);
  try {
    std::optional<segment_handle> handle;
    if (win::guarded_memory* const guard = guard_of(w.any.members())) guard->give_up(base);
    if (size != 0) handle = w.any.attach(base, static_cast<std::size_t>(size) / w.element).handle;
    // An empty buffer may begin where another one does, which stays to be detached.
    if (handle)
      w.attached.insert_or_assign(base, handle);
    else
      w.attached.try_emplace(base, handle);
    return MPI_SUCCESS;
  } catch (const error& e) {
    return raise_class(w, at, error_code_of(e.code()), std::string("MPI_Win_attach: ") + e.what());
  } catch (const std::bad_alloc&) {
    return raise_class(w, at, MPI_ERR_NO_MEM, "MPI_Win_attach: out of memory");
  }
}

int detach(mpi_window& w, call_site at, const void* base) noexcept {
  const std::lock_guard hold(w.attached_mutex);
  const auto found = w.attached.find(base);
  if (found == w.attached.end())
    return raise_class(w, at, MPI_ERR_RMA_ATTACH, "MPI_Win_detach: no attached memory begins here");
  status s;
  if (found->second) s = w.any.detach(*found->second);
  w.attached.erase(found);
  return s.ok() ? MPI_SUCCESS : raise(w, s.code());
}

int free(mpi_window& w, call_site at, MPI_Win* win) noexcept {
  if (access_is_open(w) || w.posted)
    return raise_class(w, at, MPI_ERR_RMA_SYNC, "MPI_Win_free: an epoch is open");
  finish_requests();
  const host_progress progress;
  // All ranks have called it when it returns (MPI-4.1 §12.2.5). Windows on memory of the program's
  // own see to that themselves.
  if (!w.no_locks && w.flavor != MPI_WIN_FLAVOR_CREATE && w.flavor != MPI_WIN_FLAVOR_DYNAMIC)
    static_cast<void>(w.any.members().barrier());
  forget_variables_of(*win);
  windows.remove(*win).reset();
  *win = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::mpi_window;

#define ORIEL_CONSTRUCTION_CALLS(suffix, unit_type)                                               \
  ORIEL_EXPORT int MPI_Win_create##suffix(void* base, MPI_Aint size, unit_type unit,              \
                                          MPI_Info hints, MPI_Comm comm, MPI_Win* win) {          \
    mpi_window* made = nullptr;                                                                   \
    const int bad = oriel::mpi::construct(                                                        \
        {"MPI_Win_create", MPI_WIN_FLAVOR_CREATE, base, size, unit, hints, comm}, made);          \
    if (bad != MPI_SUCCESS) return bad;                                                           \
    if (made == nullptr)                                                                          \
      return ORIEL_HOST(Win_create##suffix)(base, size, unit, hints, comm, win);                  \
    *win = made->handle;                                                                          \
    return MPI_SUCCESS;                                                                           \
  }                                                                                               \
  ORIEL_ALSO_PMPI(Win_create##suffix);                                                            \
  ORIEL_EXPORT int MPI_Win_allocate##suffix(MPI_Aint size, unit_type unit, MPI_Info hints,        \
                                            MPI_Comm comm, void* base, MPI_Win* win) {            \
    mpi_window* made = nullptr;                                                                   \
    const int bad = oriel::mpi::construct(                                                        \
        {"MPI_Win_allocate", MPI_WIN_FLAVOR_ALLOCATE, nullptr, size, unit, hints, comm}, made);   \
    if (bad != MPI_SUCCESS) return bad;                                                           \
    if (made == nullptr)                                                                          \
      return ORIEL_HOST(Win_allocate##suffix)(size, unit, hints, comm, base, win);                \
    oriel::mpi::tell_base(base, made->base);                                                      \
    *win = made->handle;                                                                          \
    return MPI_SUCCESS;                                                                           \
  }                                                                                               \
  ORIEL_ALSO_PMPI(Win_allocate##suffix);                                                          \
  ORIEL_EXPORT int MPI_Win_allocate_shared##suffix(MPI_Aint size, unit_type unit, MPI_Info hints, \
                                                   MPI_Comm comm, void* base, MPI_Win* win) {     \
    mpi_window* made = nullptr;                                                                   \
    const int bad = oriel::mpi::construct(                                                        \
        {"MPI_Win_allocate_shared", MPI_WIN_FLAVOR_SHARED, nullptr, size, unit, hints, comm},     \
        made);                                                                                    \
    if (bad != MPI_SUCCESS) return bad;                                                           \
    if (made == nullptr)                                                                          \
      return ORIEL_HOST(Win_allocate_shared##suffix)(size, unit, hints, comm, base, win);         \
    oriel::mpi::tell_base(base, made->base);                                                      \
    *win = made->handle;                                                                          \
    return MPI_SUCCESS;                                                                           \
  }                                                                                               \
  ORIEL_ALSO_PMPI(Win_allocate_shared##suffix)

ORIEL_CONSTRUCTION_CALLS(, int);
#if MPI_VERSION >= 4
ORIEL_CONSTRUCTION_CALLS(_c, MPI_Aint);
#endif

ORIEL_EXPORT int MPI_Win_create_dynamic(MPI_Info hints, MPI_Comm comm, MPI_Win* win) {
  mpi_window* made = nullptr;
  const int bad = oriel::mpi::construct(
      {"MPI_Win_create_dynamic", MPI_WIN_FLAVOR_DYNAMIC, nullptr, 0, 1, hints, comm}, made);
  if (bad != MPI_SUCCESS) return bad;
  if (made == nullptr) return ORIEL_HOST(Win_create_dynamic)(hints, comm, win);
  *win = made->handle;
  return MPI_SUCCESS;
}
ORIEL_ALSO_PMPI(Win_create_dynamic);

ORIEL_EXPORT int MPI_Win_attach(MPI_Win win, void* base, MPI_Aint size) {
  if (auto* const w = oriel::mpi::find_window(win))
    return oriel::mpi::attach(*w, ORIEL_CALLER, base, size);
  return ORIEL_HOST(Win_attach)(win, base, size);
}
ORIEL_ALSO_PMPI(Win_attach);

ORIEL_EXPORT int MPI_Win_detach(MPI_Win win, const void* base) {
  if (auto* const w = oriel::mpi::find_window(win))
    return oriel::mpi::detach(*w, ORIEL_CALLER, base);
  return ORIEL_HOST(Win_detach)(win, base);
}
ORIEL_ALSO_PMPI(Win_detach);

ORIEL_EXPORT int MPI_Win_free(MPI_Win* win) {
  if (win != nullptr)
    if (auto* const w = oriel::mpi::find_window(*win))
      return oriel::mpi::free(*w, ORIEL_CALLER, win);
  return ORIEL_HOST(Win_free)(win);
}
ORIEL_ALSO_PMPI(Win_free);
