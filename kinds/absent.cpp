// The vendors whose headers the build did not find.
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

#if !defined(ORIEL_HAS_HIP)
loaded_runtime load_rocm() {
  return {nullptr, "built without HIP's headers"};
}
#endif

#if !defined(ORIEL_HAS_LEVEL_ZERO)
loaded_runtime load_level_zero() {
  return {nullptr, "built without Level Zero's headers"};
}
#endif

}  // namespace oriel::kinds
