// The calls of oriel_mpi.h.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "mpi/construct.hpp"
#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/oriel_mpi.h"
#include "mpi/process.hpp"
#include "mpi/types.hpp"
#include "oriel/detail/numbered.hpp"

namespace oriel::mpi {
namespace {

// The host has no such constructor to fall back to.
int make(window_request asked, MPI_Datatype base, MPI_Aint count, MPIX_Window_assertions wanted,
         mpi_window*& made) noexcept {
  const type_entry* const type = find_type(base);
  asked.asserted = assertion_set{static_cast<std::uint32_t>(wanted)};
  if (type == nullptr || !type->known || type->extent <= 0 || type->size == 0) {
    asked.wrong = errc::type;
  } else {
    asked.base_type = base;
    asked.unit = asked.flavor == MPI_WIN_FLAVOR_DYNAMIC ? 1 : type->extent;
    asked.bytes = count < 0 ? count : count * type->extent;
    if ((static_cast<std::uint32_t>(wanted) & ~every_assertion.bits) != 0)
      asked.wrong = errc::unsupported_assertion;
  }
  const int bad = construct(asked, made);
  if (bad != MPI_SUCCESS || made != nullptr) return bad;
  return raise(asked.comm, errc::system,
               std::string(asked.what) + ": oriel serves no windows on this communicator");
}

}  // namespace
}  // namespace oriel::mpi

using oriel::mpi::find_window;
using oriel::mpi::mpi_window;

ORIEL_EXPORT int MPIX_Win_allocate_new(MPI_Datatype base, MPI_Aint count,
                                       MPIX_Window_assertions assertions, MPI_Info info,
                                       MPI_Comm comm, void* baseptr, MPI_Win* win) {
  mpi_window* made = nullptr;
  const int bad = oriel::mpi::make({.what = "MPIX_Win_allocate_new",
                                    .flavor = MPI_WIN_FLAVOR_ALLOCATE,
                                    .hints = info,
                                    .comm = comm},
                                   base, count, assertions, made);
  if (bad != MPI_SUCCESS) return bad;
  *static_cast<void**>(baseptr) = made->base;
  *win = made->handle;
  return MPI_SUCCESS;
}

ORIEL_EXPORT int MPIX_Win_create_new(MPI_Datatype base, void* memory, MPI_Aint count,
                                     MPIX_Window_assertions assertions, MPI_Info info,
                                     MPI_Comm comm, MPI_Win* win) {
  // By its assertion alone, which is the same on all ranks.
  const bool dynamic = (assertions & MPIX_WINDOW_ATTACH) != 0;
  mpi_window* made = nullptr;
  const int bad =
      oriel::mpi::make({.what = "MPIX_Win_create_new",
                        .flavor = dynamic ? MPI_WIN_FLAVOR_DYNAMIC : MPI_WIN_FLAVOR_CREATE,
                        .base = memory,
                        .hints = info,
                        .comm = comm},
                       base, count, assertions, made);
  if (bad != MPI_SUCCESS) return bad;
  *win = made->handle;
  return dynamic && memory != nullptr ? MPI_Win_attach(*win, memory, made->size) : MPI_SUCCESS;
}

ORIEL_EXPORT int MPIX_Win_segments(MPI_Win win, int rank, int most, MPIX_Segment segments[],
                                   int* found) {
  auto* const w = find_window(win);
  if (w == nullptr) return MPI_ERR_WIN;
  if (!w->is_rank(rank))
    return oriel::mpi::raise_class(
        *w, ORIEL_CALLER, MPI_ERR_RANK,
        "MPIX_Win_segments: rank " + std::to_string(rank) + " is not one of the window's");
  std::size_t number = 0;
  oriel_window_segments(&w->face, rank, nullptr, 0, &number);
  std::vector<oriel_segment> all(number);
  const int code = oriel_window_segments(&w->face, rank, all.data(), all.size(), &number);
  if (code != ORIEL_SUCCESS)
    return oriel::mpi::raise(
        *w, oriel::detail::numbered<oriel::errc>(code).value_or(oriel::errc::system));
  const auto element = static_cast<MPI_Aint>(w->element);
  const auto unit = static_cast<MPI_Aint>(w->target(rank).unit);
  for (std::size_t i = 0; i < std::min(number, all.size()) && static_cast<int>(i) < most; ++i)
    segments[i] = {all[i].first * element / unit, static_cast<MPI_Aint>(all[i].count) * element,
                   all[i].base};
  *found = static_cast<int>(number);
  return MPI_SUCCESS;
}

ORIEL_EXPORT int MPIX_Win_explain(MPI_Win win, int room, char* text, int* length) {
  auto* const w = find_window(win);
  const auto capacity = static_cast<std::size_t>(std::max(room, 0));
  std::size_t all = 0;
  if (w != nullptr)
    oriel_window_explain(&w->face, text, capacity, &all);
  else
    all = static_cast<std::size_t>(
        std::snprintf(text, capacity, "this window is the MPI library's own"));
  *length = static_cast<int>(all);
  return MPI_SUCCESS;
}
