#include "mpi/ops.hpp"

#include <utility>

namespace oriel::mpi {

std::optional<atomic_op> find_rare_op(MPI_Op op) noexcept {
  const std::pair<MPI_Op, atomic_op> known[] = {
      {MPI_PROD, atomic_op::prod},     {MPI_MIN, atomic_op::min},       {MPI_MAX, atomic_op::max},
      {MPI_LAND, atomic_op::land},     {MPI_LOR, atomic_op::lor},       {MPI_LXOR, atomic_op::lxor},
      {MPI_BAND, atomic_op::band},     {MPI_BOR, atomic_op::bor},       {MPI_BXOR, atomic_op::bxor},
      {MPI_MINLOC, atomic_op::minloc}, {MPI_MAXLOC, atomic_op::maxloc},
  };
  for (const auto& [handle, meant] : known)
    if (handle == op) return meant;
  return std::nullopt;
}

}  // namespace oriel::mpi
