#include "mpi/target_area.hpp"

#include <string>

#include "mpi/failures.hpp"

namespace oriel::mpi {
namespace {

std::string of_rank(int r) {
  return " of rank " + std::to_string(r);
}

}  // namespace

int check_buffer(mpi_window& w, call_site at, const char* what, MPI_Count count,
                 const type_entry* type) noexcept {
  if (count < 0)
    return raise_class(w, at, MPI_ERR_COUNT,
                       std::string(what) + ": the count is " + std::to_string(count));
  if (type == nullptr || !type->known)
    return raise_class(w, at, MPI_ERR_TYPE,
                       std::string(what) + ": this is no datatype to move data by");
  return MPI_SUCCESS;
}

int find_area(mpi_window& w, call_site at, const char* what, int target, MPI_Aint displacement,
              MPI_Count count, const type_entry* type, target_area& found) noexcept {
  if (!w.is_rank(target))
    return raise_class(w, at, MPI_ERR_RANK,
                       std::string(what) + ": rank " + std::to_string(target) +
                           " is not one of the window's, 0 to " + std::to_string(w.ranks() - 1));
  if (const int bad = check_buffer(w, at, what, count, type); bad != MPI_SUCCESS) return bad;
  const target_entry& t = w.target(target);
  if (!w.accessible(t))
    return raise_class(w, at, MPI_ERR_RMA_SYNC,
                       std::string(what) + of_rank(target) +
                           " outside an access epoch: lock, lock_all, start or fence opens one");
  found.owner = rank{target};
  found.nothing = count == 0 || type->size == 0;
  if (found.nothing) return MPI_SUCCESS;
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(displacement, static_cast<std::int64_t>(t.unit), &offset))
    return raise_class(w, at, MPI_ERR_DISP, std::string(what) + ": the displacement overflows");
  // A dynamic window's displacements are addresses, and its own table has what is attached.
  if (w.flavor != MPI_WIN_FLAVOR_DYNAMIC) {
    if (displacement < 0)
      return raise_class(w, at, MPI_ERR_DISP,
                         std::string(what) + of_rank(target) + ": the displacement is " +
                             std::to_string(displacement));
    __int128 low = static_cast<__int128>(offset) + type->true_lb;
    __int128 high = low + static_cast<__int128>(type->true_extent);
    const __int128 more = static_cast<__int128>(count - 1) * type->extent;
    (more < 0 ? low : high) += more;
    if (low < 0 || high > static_cast<__int128>(t.bytes))
      return raise_class(w, at, MPI_ERR_RMA_RANGE,
                         std::string(what) + of_rank(target) + ": bytes " +
                             std::to_string(static_cast<std::int64_t>(low)) + " to " +
                             std::to_string(static_cast<std::int64_t>(high)) +
                             " are not in its memory of " + std::to_string(t.bytes) + " bytes");
  }
  if (w.only_bytes != 0 && static_cast<std::uint64_t>(count) * type->size != w.only_bytes)
    return raise_class(w, at, MPI_ERR_ASSERT,
                       std::string(what) +
                           ": several elements need MPIX_WINDOW_MULTI_ELEMENT, "
                           "which the window does not assert");
  if (w.only_dense && !type->dense)
    return raise_class(w, at, MPI_ERR_ASSERT,
                       std::string(what) +
                           ": datatypes with gaps need MPIX_WINDOW_USER_DATATYPE, "
                           "which the window does not assert");
  if (offset % static_cast<std::int64_t>(w.element) != 0)
    return raise_class(w, at, MPI_ERR_DISP,
                       std::string(what) + ": the displacement is between two elements");
  found.first = disp{static_cast<std::uint64_t>(offset / static_cast<std::int64_t>(w.element))};
  return MPI_SUCCESS;
}

}  // namespace oriel::mpi
