// The kind `cuda` in a build that had no headers of CUDA.
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

loaded_runtime load_cuda() {
  return {nullptr, "built without the CUDA Toolkit's headers"};
}

}  // namespace oriel::kinds
