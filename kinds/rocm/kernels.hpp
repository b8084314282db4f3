// The device code of the kind `rocm`, as hipcc made it for all architectures at once.
#pragma once

namespace oriel::kinds {

// What hipModuleLoadData takes; null in a build without hipcc.
const void* rocm_kernels() noexcept;

}  // namespace oriel::kinds
