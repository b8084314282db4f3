// Whether a program's kernels may update the memory of a window themselves.
#pragma once

#include <string>

#include "oriel/rank.hpp"

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

// Why atomics, of system scope, by kernels of this process are not atomic with all others on the
// memory of rank `r`; empty where they are, and where they reach none of it.
std::string lacks_kernel_atomics(const detail::window_core&, rank r);

}  // namespace oriel::win
