#include "kinds/level_zero/device.hpp"

#include <algorithm>
#include <cstring>

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

bool level_zero_device::has(ze_device_properties_t& properties) const noexcept {
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  return !library_.failed("zeDeviceGetProperties",
                          library_.device_properties(handle_, &properties));
}

std::string level_zero_device::name() const {
  ze_device_properties_t properties{};
  return has(properties) ? properties.name : "unnamed device";
}

std::optional<ze_memory_access_cap_flags_t> level_zero_device::access_to(
    residence where) const noexcept {
  ze_device_memory_access_properties_t can{};
  can.stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES;
  if (library_.failed("zeDeviceGetMemoryAccessProperties",
                      library_.access_properties(handle_, &can)))
    return std::nullopt;
  return where == residence::host     ? can.hostAllocCapabilities
         : where == residence::device ? can.deviceAllocCapabilities
                                      : can.sharedSingleDeviceAllocCapabilities;
}

bool level_zero_device::updates(const level_zero_device& other) const noexcept {
  ze_device_p2p_properties_t link{};
  link.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES;
  return !library_.failed("zeDeviceGetP2PProperties",
                          library_.peer_properties(handle_, other.handle_, &link)) &&
         (link.flags & ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS) != 0;
}

device_identity level_zero_device::identity() const noexcept {
  static_assert(sizeof(ze_device_uuid_t) == sizeof(device_identity));
  device_identity found{};
  ze_device_properties_t properties{};
  if (has(properties)) std::memcpy(found.data(), &properties.uuid, sizeof properties.uuid);
  return found;
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

void* level_zero_device::allocate(residence where, std::size_t bytes) const noexcept {
  constexpr std::size_t alignment = 4096;
  ze_device_mem_alloc_desc_t on_device{};
  on_device.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
  ze_host_mem_alloc_desc_t on_host{};
  on_host.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
  void* made = nullptr;
  bool failed = false;
  if (where == residence::host)
    failed = library_.failed("zeMemAllocHost",
                             library_.allocate_host(context_, &on_host, bytes, alignment, &made));
  else if (where == residence::device)
    failed = library_.failed(
        "zeMemAllocDevice",
        library_.allocate_device(context_, &on_device, bytes, alignment, handle_, &made));
  else
    failed = library_.failed(
        "zeMemAllocShared",
        library_.allocate_shared(context_, &on_device, &on_host, bytes, alignment, handle_, &made));
  return failed ? nullptr : made;
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
