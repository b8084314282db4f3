#include "win/route/kernel_atomics.hpp"

#include "win/window_core.hpp"

namespace oriel::win {

// The drivers were asked as the memory was opened and pinned. Managed memory is reached by its
// owner's kernels alone.
std::string lacks_kernel_atomics(const detail::window_core& core, rank r) {
  const window_devices& devices = core.devices;
  if (core.is_remote(r)) return {};
  if (core.on_device(r) != nullptr) return devices.memory->why_unlinked(core.node_rank(r));
  if (devices.memory != nullptr && core.routes.where(r) == place::managed_memory)
    return r.value == core.me() ? devices.memory->runtime().lacks_host_atomics(
                                      devices.memory->device(), kinds::residence::managed)
                                : std::string();
  return devices.pinned == nullptr ? std::string() : devices.pinned->why_unlinked();
}

}  // namespace oriel::win
