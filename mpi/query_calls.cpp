// Queries of a window: attributes, info, the shared query; and the kinds of memory that a
// communicator provides (MPI-4.1 §12.2.6, §12.2.7, §12.2.3, §11.4.3).
#include <string>

#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/info_hints.hpp"
#include "mpi/mpi_window.hpp"
#include "mpi/process.hpp"

namespace oriel::mpi {
namespace {

// Returns whether the key is one of MPI's own, whose values in the host are those of a window on no
// memory. The base is the value itself, all others are pointed to.
bool answer_attribute(mpi_window& w, int key, void* value) noexcept {
  const auto tell = [value](void* answer) {
    *static_cast<void**>(value) = answer;
    return true;
  };
  if (key == MPI_WIN_BASE) return tell(w.base);
  if (key == MPI_WIN_SIZE) return tell(&w.size);
  if (key == MPI_WIN_DISP_UNIT) return tell(&w.unit);
  if (key == MPI_WIN_CREATE_FLAVOR) return tell(&w.flavor);
  if (key == MPI_WIN_MODEL) return tell(&w.model);
  return false;
}

int get_info(mpi_window& w, call_site at, MPI_Info* used) noexcept {
  if (const int bad = PMPI_Info_create(used); bad != MPI_SUCCESS) return bad;
  try {
    const std::lock_guard hold(w.hints_mutex);
    for (const info& each :
         {reported_hints(w.common.in_place_of(w.given)), w.given_later, w.any.hints()})
      if (const int bad = add_to(*used, each); bad != MPI_SUCCESS) return bad;
    return MPI_SUCCESS;
  } catch (const std::bad_alloc&) {
    return raise_class(w, at, MPI_ERR_NO_MEM, "MPI_Win_get_info: out of memory");
  }
}

// Hints come too late to change how the window is made. Those that nothing depends on are kept, to
// be answered.
int set_info(mpi_window& w, call_site at, MPI_Info given) noexcept {
  try {
    const info wanted = hints_of(given);
    const std::lock_guard hold(w.hints_mutex);
    for (const char* key :
         {"same_size", "same_disp_unit", "accumulate_ops", "mpi_accumulate_granularity"})
      if (const auto value = wanted.get(key)) w.given_later.set(key, *value);
    return MPI_SUCCESS;
  } catch (const std::bad_alloc&) {
    return raise_class(w, at, MPI_ERR_NO_MEM, "MPI_Win_set_info: out of memory");
  }
}

template <class Unit>
int shared_query(mpi_window& w, call_site at, int r, MPI_Aint* size, Unit* unit,
                 void* base) noexcept {
  if (r != MPI_PROC_NULL && !w.is_rank(r))
    return raise_class(w, at, MPI_ERR_RANK,
                       "MPI_Win_shared_query: rank " + std::to_string(r) +
                           " is not one of the window's, 0 to " + std::to_string(w.ranks() - 1));
  const auto found = w.any.shared_query(r == MPI_PROC_NULL ? any_rank : rank{r});
  // An empty segment between others has an address; one that stands alone has none.
  std::byte* const shown = found.base == nullptr ? nullptr : found.base + w.shown;
  *static_cast<void**>(base) = found.count == 0 && w.apart ? nullptr : shown;
  *size = static_cast<MPI_Aint>(found.count * w.element);
  *unit = found.of == any_rank ? 1 : static_cast<Unit>(w.target(found.of.value).unit);
  return MPI_SUCCESS;
}

constexpr const char* provided_key = "mpi_memory_alloc_kinds";
constexpr const char* asserted_key = "mpi_assert_memory_alloc_kinds";

// The host's answer, and the keys that it may be too old to know.
int add_kinds(process& p, MPI_Comm comm, MPI_Info used) noexcept {
  try {
    const auto members = p.known_team(comm);
    const info hints = members ? members->hints() : p.job.hints();
    info kinds;
    for (const char* key : {provided_key, asserted_key})
      if (const auto value = hints.get(key)) kinds.set(key, *value);
    return add_to(used, kinds);
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

// Collective, as the call is, so the team may be made.
void assert_kinds(process& p, MPI_Comm comm, MPI_Info given) noexcept {
  try {
    const auto kinds = hints_of(given).get(asserted_key);
    if (!kinds) return;
    if (auto members = p.team_of(comm)) members->assert_memory_alloc_kinds(*kinds);
  } catch (const std::exception&) {
    // A hint that cannot be taken is ignored, as MPI has it.
  }
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::find_window;

ORIEL_EXPORT int MPI_Win_get_attr(MPI_Win win, int key, void* value, int* found) {
  auto* const w = oriel::mpi::find_window_or_ending(win);
  if (w != nullptr && oriel::mpi::answer_attribute(*w, key, value)) {
    *found = 1;
    return MPI_SUCCESS;
  }
  return ORIEL_HOST(Win_get_attr)(win, key, value, found);
}
ORIEL_ALSO_PMPI(Win_get_attr);

ORIEL_EXPORT int MPI_Win_get_group(MPI_Win win, MPI_Group* group) {
  if (auto* const w = oriel::mpi::find_window_or_ending(win))
    return PMPI_Group_union(w->group, MPI_GROUP_EMPTY, group);  // another handle of the same
  return ORIEL_HOST(Win_get_group)(win, group);
}
ORIEL_ALSO_PMPI(Win_get_group);

ORIEL_EXPORT int MPI_Win_get_info(MPI_Win win, MPI_Info* used) {
  if (auto* const w = oriel::mpi::find_window_or_ending(win))
    return oriel::mpi::get_info(*w, ORIEL_CALLER, used);
  return ORIEL_HOST(Win_get_info)(win, used);
}
ORIEL_ALSO_PMPI(Win_get_info);

ORIEL_EXPORT int MPI_Win_set_info(MPI_Win win, MPI_Info given) {
  if (auto* const w = find_window(win)) return oriel::mpi::set_info(*w, ORIEL_CALLER, given);
  return ORIEL_HOST(Win_set_info)(win, given);
}
ORIEL_ALSO_PMPI(Win_set_info);

ORIEL_EXPORT int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint* size, int* unit,
                                      void* base) {
  if (auto* const w = find_window(win))
    return oriel::mpi::shared_query(*w, ORIEL_CALLER, rank, size, unit, base);
  return ORIEL_HOST(Win_shared_query)(win, rank, size, unit, base);
}
ORIEL_ALSO_PMPI(Win_shared_query);

#if MPI_VERSION >= 4
ORIEL_EXPORT int MPI_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint* size, MPI_Aint* unit,
                                        void* base) {
  if (auto* const w = find_window(win))
    return oriel::mpi::shared_query(*w, ORIEL_CALLER, rank, size, unit, base);
  return ORIEL_HOST(Win_shared_query_c)(win, rank, size, unit, base);
}
ORIEL_ALSO_PMPI(Win_shared_query_c);
#endif

ORIEL_EXPORT int MPI_Comm_get_info(MPI_Comm comm, MPI_Info* used) {
  const int code = ORIEL_HOST(Comm_get_info)(comm, used);
  auto* const p = oriel::mpi::process::get();
  return code != MPI_SUCCESS || p == nullptr ? code : oriel::mpi::add_kinds(*p, comm, *used);
}
ORIEL_ALSO_PMPI(Comm_get_info);

ORIEL_EXPORT int MPI_Comm_set_info(MPI_Comm comm, MPI_Info given) {
  const int code = ORIEL_HOST(Comm_set_info)(comm, given);
  if (auto* const p = oriel::mpi::process::get(); code == MPI_SUCCESS && p != nullptr)
    oriel::mpi::assert_kinds(*p, comm, given);
  return code;
}
ORIEL_ALSO_PMPI(Comm_set_info);
