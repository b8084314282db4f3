// The kind `cuda`: memory of CUDA.
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

loaded_runtime load_cuda() {
  return {nullptr, "this build has no support for CUDA"};
}

}  // namespace oriel::kinds
