// The kind `level_zero`: memory of Level Zero.
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

loaded_runtime load_level_zero() {
  return {nullptr, "this build has no support for Level Zero"};
}

}  // namespace oriel::kinds
