// MPI's reduction operations as oriel's.
#pragma once

#include <mpi.h>

#include <optional>

#include "oriel/atomic_op.hpp"

namespace oriel::mpi {

// The operations that come up less often.
std::optional<atomic_op> find_rare_op(MPI_Op) noexcept;

// The operation that accumulates apply for `op`; nothing for operations made by MPI_Op_create and
// for other handles, which accumulates do not take (MPI-4.1 §12.3.4). Any thread, at any time.
inline std::optional<atomic_op> find_op(MPI_Op op) noexcept {
  if (op == MPI_SUM) return atomic_op::sum;
  if (op == MPI_REPLACE) return atomic_op::replace;
  if (op == MPI_NO_OP) return atomic_op::no_op;
  return find_rare_op(op);
}

}  // namespace oriel::mpi
