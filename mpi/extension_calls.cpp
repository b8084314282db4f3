// The calls of oriel_mpi.h.
#include <algorithm>
#include <cstring>

#include "mpi/construct.hpp"
#include "mpi/failures.hpp"
#include "mpi/host.hpp"
#include "mpi/oriel_mpi.h"
#include "mpi/process.hpp"
#include "mpi/types.hpp"

namespace oriel::mpi {
namespace {

static_assert(MPIX_WINDOW_LOCAL_LOAD_STORE == static_cast<int>(assertion::local_load_store));
static_assert(MPIX_WINDOW_REMOTE_LOAD_STORE == static_cast<int>(assertion::remote_load_store));
static_assert(MPIX_WINDOW_PSCW == static_cast<int>(assertion::pscw));
static_assert(MPIX_WINDOW_FENCE == static_cast<int>(assertion::fence));
static_assert(MPIX_WINDOW_SHARED_LOCK == static_cast<int>(assertion::shared_lock));
static_assert(MPIX_WINDOW_EXCLUSIVE_LOCK == static_cast<int>(assertion::exclusive_lock));
static_assert(MPIX_WINDOW_ORDERED_REPLACE == static_cast<int>(assertion::ordered_replace));
static_assert(MPIX_WINDOW_ORDERED_ACCUMULATE == static_cast<int>(assertion::ordered_accumulate));
static_assert(MPIX_WINDOW_MULTI_ELEMENT == static_cast<int>(assertion::multi_element));
static_assert(MPIX_WINDOW_USER_DATATYPE == static_cast<int>(assertion::user_datatype));
static_assert(MPIX_WINDOW_ATTACH == static_cast<int>(assertion::attach));

constexpr std::uint32_t every_mpix_assertion = 2 * MPIX_WINDOW_ATTACH - 1;

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
    if ((static_cast<std::uint32_t>(wanted) & ~every_mpix_assertion) != 0)
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
  const bool dynamic = memory == nullptr && (assertions & MPIX_WINDOW_ATTACH) != 0;
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
  return MPI_SUCCESS;
}

ORIEL_EXPORT int MPIX_Win_segments(MPI_Win win, int rank, int most, MPIX_Segment segments[],
                                   int* found) {
  auto* const w = find_window(win);
  if (w == nullptr) return MPI_ERR_WIN;
  if (!w->is_rank(rank))
    return oriel::mpi::raise_class(
        *w, MPI_ERR_RANK,
        "MPIX_Win_segments: rank " + std::to_string(rank) + " is not one of the window's");
  const auto all = w->any.segments(oriel::rank{rank});
  const auto element = static_cast<MPI_Aint>(w->element);
  for (std::size_t i = 0; i < all.size() && static_cast<int>(i) < most; ++i)
    segments[i] = {static_cast<MPI_Aint>(all[i].first.value) * element /
                       static_cast<MPI_Aint>(w->target(rank).unit),
                   static_cast<MPI_Aint>(all[i].count) * element, all[i].base};
  *found = static_cast<int>(all.size());
  return MPI_SUCCESS;
}

ORIEL_EXPORT int MPIX_Win_explain(MPI_Win win, int room, char* text, int* length) {
  auto* const w = find_window(win);
  const std::string all = w == nullptr ? "this window is the MPI library's own" : w->any.explain();
  if (room > 0) {
    const std::size_t n = std::min(all.size(), static_cast<std::size_t>(room) - 1);
    std::memcpy(text, all.data(), n);
    text[n] = '\0';
  }
  *length = static_cast<int>(all.size());
  return MPI_SUCCESS;
}
