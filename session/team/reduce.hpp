// The arithmetic of allreduce: `into = into op value` on one element.
#pragma once

#include "oriel/atomic_op.hpp"
#include "oriel/primitive.hpp"

namespace oriel::sessions {

// False when `op` is not defined on `type`; replace keeps `value`, no_op keeps `into`.
bool reduce(void* into, const void* value, primitive type, atomic_op op) noexcept;

}  // namespace oriel::sessions
