#include "mpi/construct.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "mpi/failures.hpp"
#include "mpi/guarded.hpp"
#include "mpi/host.hpp"
#include "mpi/info_hints.hpp"
#include "mpi/process.hpp"
#include "mpi/types.hpp"

namespace oriel::mpi {
namespace {

// What any program may do with a window that MPI's own constructors make, unless its hints or its
// flavor rule it out (MPI-4.1 §12.2.1).
assertion_set assertions_of(const window_request& asked, const common_hints& hints) {
  if (asked.asserted) return *asked.asserted;
  assertion_set all = every_assertion.without(assertion::attach | assertion::remote_load_store);
  if (asked.flavor == MPI_WIN_FLAVOR_SHARED) all = all | assertion::remote_load_store;
  if (asked.flavor == MPI_WIN_FLAVOR_DYNAMIC) all = all | assertion::attach;
  // Shared locks alone exclude no rank and have no words. Locks with MPI_MODE_NOCHECK need them:
  // programs call lock_all so, whatever they have hinted, and MPICH allows it.
  if (hints.no_locks) all = all.without(assertion::exclusive_lock);
  if (hints.unordered)
    all = all.without(assertion::ordered_replace | assertion::ordered_accumulate);
  return all;
}

info hints_given(const window_request& asked) {
  info given = hints_of(asked.hints);
  // Any datatype may be used at displacement 0, and ranks do not share cache lines.
  if (asked.flavor == MPI_WIN_FLAVOR_ALLOCATE && !given.contains("mpi_minimum_memory_alignment"))
    given.set("mpi_minimum_memory_alignment", "64");
  return given;
}

window_options options_of(const window_request& asked, info hints) {
  window_options options;
  options.name = asked.what;
  options.hints = std::move(hints);
  options.displacements_are_addresses = asked.flavor == MPI_WIN_FLAVOR_DYNAMIC;
  options.asynchronous_progress = true;  // as MPI-4.1 §12.7.3 has it
  return options;
}

any_window make(const window_request& asked, const team& members, const datatype& base,
                assertion_set promised, const window_options& options) {
  win::guarded_memory* const guard = guard_of(members);
  const std::size_t n = base.extent() == 0 ? 0
                                           : static_cast<std::size_t>(asked.bytes) /
                                                 static_cast<std::size_t>(base.extent());
  switch (asked.flavor) {
    case MPI_WIN_FLAVOR_CREATE:
      return any_window::create(members, guard == nullptr ? asked.base : guard->own(asked.base), n,
                                base, promised, options);
    case MPI_WIN_FLAVOR_DYNAMIC:
      return any_window::create(members, base, promised, options);
    default:
      return any_window::allocate(members, n, base, promised, options);
  }
}

void explain(const process& p, const window_request& asked, const std::string& text) {
  int me = 0;
  PMPI_Comm_rank(asked.comm, &me);
  if (p.explains && me == 0) std::fprintf(stderr, "oriel: %s: %s\n", asked.what, text.c_str());
}

// The host's window on no memory, of this process alone, so that no other is waited for: its
// handle, name, attributes and error handler.
MPI_Win make_shell() noexcept {
  MPI_Win handle = MPI_WIN_NULL;
#ifdef OPEN_MPI  // 4.1 makes no other there
  void* base = nullptr;
  ORIEL_HOST(Win_allocate)(0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &base, &handle);
#else  // in two thirds of the time
  ORIEL_HOST(Win_create_dynamic)(MPI_INFO_NULL, MPI_COMM_SELF, &handle);
#endif
  return handle;
}

// MPI_SUCCESS, or the first bad argument of any rank, so that all ranks agree.
int check_all(const window_request& asked, const std::vector<rank_memory>& all) noexcept {
  for (std::size_t r = 0; r < all.size(); ++r) {
    const std::string who = std::string(asked.what) + ": rank " + std::to_string(r);
    if (all[r].wrong == errc::type)
      return raise(asked.comm, errc::type, who + " gives a base type without data or extent");
    if (all[r].wrong != errc::success)
      return raise(asked.comm, all[r].wrong, who + " gives an assertion that there is not");
    if (all[r].bytes < 0)
      return raise(asked.comm, errc::size,
                   who + " gives a size of " + std::to_string(all[r].bytes) + " bytes");
    if (all[r].unit <= 0)
      return raise(asked.comm, errc::disp,
                   who + " gives a displacement unit of " + std::to_string(all[r].unit));
  }
  return MPI_SUCCESS;
}

}  // namespace

int construct(const window_request& asked, mpi_window*& made) noexcept {
  made = nullptr;
  process* const p = process::get();
  if (p == nullptr || asked.comm == MPI_COMM_NULL) return MPI_SUCCESS;
  try {
    const auto members = p->team_of(asked.comm);
    if (!members) {
      explain(*p, asked, "left to the MPI library: a process is of another MPI_COMM_WORLD");
      return MPI_SUCCESS;
    }
    const host_progress progress;
    const type_entry* const base = find_type(asked.base_type);
    const info given = hints_given(asked);
    const rank_memory mine{asked.bytes, asked.unit, asked.wrong, common_hints::of(given)};
    std::vector<rank_memory> all(static_cast<std::size_t>(members->size()));
    const int told = ORIEL_HOST(Allgather)(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine,
                                           MPI_BYTE, asked.comm);
    if (told != MPI_SUCCESS) return told;
    common_hints common = all.front().hints;
    for (const rank_memory& one : all) common.merge(one.hints);
    if (common.left_to_host) {
      explain(*p, asked, "left to the MPI library, as the hint 'oriel' of a rank wants");
      return MPI_SUCCESS;
    }
    if (const int bad = check_all(asked, all); bad != MPI_SUCCESS) return bad;
    // Addresses are no multiples of larger elements, so dynamic windows count bytes too; their
    // single elements are several bytes, of another type.
    const bool bytewise = !asked.asserted || asked.flavor == MPI_WIN_FLAVOR_DYNAMIC;
    const assertion_set wanted = assertions_of(asked, common);
    const assertion_set promised =
        bytewise ? wanted | assertion::multi_element | assertion::user_datatype : wanted;
    any_window any =
        make(asked, *members, bytewise ? datatype::of(primitive::byte) : base->elements(), promised,
             options_of(asked, common.needed_with(given)));
    auto w = std::make_unique<mpi_window>(std::move(any), make_shell(), asked.flavor, all);
    PMPI_Comm_group(asked.comm, &w->group);
    w->one_thread = p->one_thread;
    w->element = bytewise ? 1 : static_cast<std::uint64_t>(base->extent);
    if (!bytewise && base->dense && base->element_count == 1) w->base_element = base->element;
    w->only_dense = bytewise && !wanted.has(assertion::user_datatype);
    if (!wanted.has(assertion::multi_element)) w->only_bytes = base->size;
    w->fetches_later = w->only_bytes == 0 && w->any.hints().get("oriel_aggregate") == "true";
    w->size = asked.bytes;
    w->unit = static_cast<int>(asked.unit);
    if (win::guarded_memory* const guard = guard_of(*members))
      w->shown = guard->show(*w->any.view().core);
    w->base = asked.flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_BOTTOM
              : asked.flavor == MPI_WIN_FLAVOR_CREATE
                  ? asked.base
                  : w->any.shared_query(rank{members->me()}).base + w->shown;
    w->no_locks = common.no_locks && !asked.asserted;
    w->apart = common.apart;
    w->given = given;
    w->common = common;
    if (asked.asserted && !wanted.has_any(assertion::shared_lock | assertion::exclusive_lock))
      w->given_later.set("no_locks", "true");
    if (p->explains) explain(*p, asked, w->any.explain());
    made = w.get();
    windows.insert(made->handle, std::move(w));
    return MPI_SUCCESS;
  } catch (const error& e) {
    const bool cannot = e.code() == errc::unsupported_assertion;
    if (cannot && !asked.asserted && asked.flavor != MPI_WIN_FLAVOR_SHARED) {
      explain(*p, asked, std::string("left to the MPI library: ") + e.what());
      return MPI_SUCCESS;
    }
    return raise(asked.comm, cannot && !asked.asserted ? errc::rma_shared : e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return raise(asked.comm, errc::no_mem, std::string(asked.what) + ": out of memory");
  }
}

}  // namespace oriel::mpi
