#include "win/construct/prepare_devices.hpp"

#include <memory>

namespace oriel::win {

void prepare_devices(detail::window_core& core, const own_memory& mine, std::byte* allocated,
                     std::uint64_t node_bytes) {
  if (mine.pinned() && node_bytes != 0)
    core.devices.pinned = std::make_unique<pinned_memory>(
        *mine.runtime, mine.device, core.node_memory().base() + core.memory.room.segments(),
        node_bytes);
  if (allocated != nullptr) core.memory.local = allocated;
}

}  // namespace oriel::win
