// Several elements of a datatype: the layout of an origin, result or target buffer, as the
// operations with shapes of `any_window` and `window<T>` take it.
#pragma once

#include <cstddef>

#include "oriel/datatype.hpp"

namespace oriel {

struct shape {
  datatype type;
  std::size_t count = 1;
};

}  // namespace oriel
