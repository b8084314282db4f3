// The kind `rocm` in a build that had no headers of HIP.
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

loaded_runtime load_rocm() {
  return {nullptr, "built without HIP's headers"};
}

}  // namespace oriel::kinds
