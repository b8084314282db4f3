// The kind `level_zero` in a build that had no headers of Level Zero.
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

loaded_runtime load_level_zero() {
  return {nullptr, "built without Level Zero's headers"};
}

}  // namespace oriel::kinds
