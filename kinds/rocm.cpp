// The kind `rocm`: memory of HIP.
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

loaded_runtime load_rocm() {
  return {nullptr, "this build has no support for HIP"};
}

}  // namespace oriel::kinds
