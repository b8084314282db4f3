#include "kinds/level_zero/device.hpp"

#include <algorithm>

namespace oriel::kinds {

level_zero_device::level_zero_device(const level_zero_library& library, ze_context_handle_t context,
                                     ze_device_handle_t handle)
    : library_(library), context_(context), handle_(handle) {
  std::uint32_t n = 0;
  if (library_.failed("zeDeviceGetSubDevices", library_.sub_devices(handle_, &n, nullptr))) return;
  parts_.resize(n);
  if (n > 0 &&
      library_.failed("zeDeviceGetSubDevices", library_.sub_devices(handle_, &n, parts_.data())))
    parts_.clear();
}

bool level_zero_device::is(ze_device_handle_t handle) const noexcept {
  return handle == handle_ || std::find(parts_.begin(), parts_.end(), handle) != parts_.end();
}

std::string level_zero_device::name() const {
  ze_device_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  if (library_.failed("zeDeviceGetProperties", library_.device_properties(handle_, &properties)))
    return "unnamed device";
  return properties.name;
}

// The first group of queues computes and copies, on every device; others may do less.
ze_command_list_handle_t level_zero_device::make_list(ze_command_queue_mode_t mode) const noexcept {
  ze_command_queue_desc_t queue{};
  queue.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  queue.mode = mode;
  ze_command_list_handle_t list = nullptr;
  if (library_.failed("zeCommandListCreateImmediate",
                      library_.create_list(context_, handle_, &queue, &list)))
    return nullptr;
  return list;
}

bool level_zero_device::prepare() noexcept {
  if (blocking_ != nullptr) return true;
  blocking_ = make_list(ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
  if (blocking_ == nullptr || library_.synchronize_list == nullptr) return blocking_ != nullptr;
  begun_ = make_list(ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  if (begun_ != nullptr &&
      library_.failed("zeCommandListHostSynchronize", library_.synchronize_list(begun_, 0)))
    begun_ = nullptr;  // the driver is older than the loader
  return true;
}

errc level_zero_device::copy(void* to, const void* from, std::size_t bytes) noexcept {
  const std::lock_guard hold{lock_};
  if (!prepare() ||
      library_.failed("zeCommandListAppendMemoryCopy",
                      library_.append_copy(blocking_, to, from, bytes, nullptr, 0, nullptr)))
    return errc::system;
  return errc::success;
}

errc level_zero_device::clear(void* memory, std::size_t bytes) noexcept {
  const std::lock_guard hold{lock_};
  const unsigned char zero = 0;
  if (!prepare() || library_.failed("zeCommandListAppendMemoryFill",
                                    library_.append_fill(blocking_, memory, &zero, sizeof zero,
                                                         bytes, nullptr, 0, nullptr)))
    return errc::system;
  return errc::success;
}

errc level_zero_device::launch(ze_kernel_handle_t kernel, std::uint32_t blocks) noexcept {
  const std::lock_guard hold{lock_};
  const ze_group_count_t grid{blocks, 1, 1};
  if (!prepare() ||
      library_.failed("zeCommandListAppendLaunchKernel",
                      library_.append_launch(blocking_, kernel, &grid, nullptr, 0, nullptr)))
    return errc::system;
  return errc::success;
}

errc level_zero_device::begin(void* to, const void* from, std::size_t bytes) noexcept {
  const std::lock_guard hold{lock_};
  if (!prepare()) return errc::system;
  ze_command_list_handle_t list = begun_ != nullptr ? begun_ : blocking_;
  if (waiting_ && library_.failed("zeCommandListAppendBarrier",
                                  library_.append_barrier(list, nullptr, 0, nullptr)))
    return errc::system;
  if (library_.failed("zeCommandListAppendMemoryCopy",
                      library_.append_copy(list, to, from, bytes, nullptr, 0, nullptr)))
    return errc::system;
  waiting_ = begun_ != nullptr;
  return errc::success;
}

// The lock is held during the wait: a second drain at the same time must not return before.
errc level_zero_device::drain() noexcept {
  const std::lock_guard hold{lock_};
  if (!waiting_) return errc::success;
  waiting_ = false;
  if (library_.failed("zeCommandListHostSynchronize",
                      library_.synchronize_list(begun_, UINT64_MAX)))
    return errc::system;
  return errc::success;
}

}  // namespace oriel::kinds
