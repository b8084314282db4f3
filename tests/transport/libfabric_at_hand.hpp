// What CMake found out about the libfabric that the tests run with.
#pragma once

#include <string>

#include "kinds/device_runtime.hpp"

namespace oriel::testing {

// By the runtimes that the library names (cmake/OrielLibfabric.cmake).
inline bool libfabric_is_built_for(kinds::vendor v) {
  const std::string kinds = "," ORIEL_LIBFABRIC_KINDS ",";
  return kinds.find("," + std::string(kinds::name(v)) + ",") != std::string::npos;
}

}  // namespace oriel::testing
