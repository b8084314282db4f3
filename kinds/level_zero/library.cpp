#include "kinds/level_zero/library.hpp"

#include <cstdio>

#include "kinds/vendor_library.hpp"

namespace oriel::kinds {
namespace {

// The results that a user is likely to meet; Level Zero has no function for their names.
const char* meaning(ze_result_t code) {
  switch (code) {
    case ZE_RESULT_ERROR_DEVICE_LOST:
      return "device lost";
    case ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY:
      return "out of memory of the host";
    case ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY:
      return "out of memory of the device";
    case ZE_RESULT_ERROR_UNINITIALIZED:
      return "no driver, or not initialized";
    case ZE_RESULT_ERROR_UNSUPPORTED_FEATURE:
      return "unsupported feature";
    case ZE_RESULT_ERROR_INVALID_ARGUMENT:
      return "invalid argument";
    default:
      return "see ze_result_t";
  }
}

}  // namespace

bool level_zero_library::failed(const char* call, ze_result_t code) const noexcept {
  if (code == ZE_RESULT_SUCCESS) return false;
  last_failed_call<ze_result_t>() = {call, code};
  return true;
}

std::string level_zero_library::last_failure() const {
  return text_of_last_failure<ze_result_t>([](ze_result_t code) {
    char number[16];
    std::snprintf(number, sizeof number, "0x%x", static_cast<unsigned>(code));
    return std::string(number) + " (" + meaning(code) + ")";
  });
}

std::string level_zero_library::load() {
  vendor_library from("the Level Zero loader", {"libze_loader.so.1"});
  from.find(init, "zeInit");
  from.find(drivers, "zeDriverGet");
  from.find(extension, "zeDriverGetExtensionFunctionAddress");
  from.find(create_context, "zeContextCreate");
  from.find(devices, "zeDeviceGet");
  from.find(sub_devices, "zeDeviceGetSubDevices");
  from.find(device_properties, "zeDeviceGetProperties");
  from.find(access_properties, "zeDeviceGetMemoryAccessProperties");
  from.find(module_properties, "zeDeviceGetModuleProperties");
  from.find(can_access_peer, "zeDeviceCanAccessPeer");
  from.find(peer_properties, "zeDeviceGetP2PProperties");
  from.find(create_list, "zeCommandListCreateImmediate");
  from.find(append_copy, "zeCommandListAppendMemoryCopy");
  from.find(append_fill, "zeCommandListAppendMemoryFill");
  from.find(append_barrier, "zeCommandListAppendBarrier");
  from.find(create_module, "zeModuleCreate");
  from.find(destroy_module, "zeModuleDestroy");
  from.find(create_kernel, "zeKernelCreate");
  from.find(set_argument, "zeKernelSetArgumentValue");
  from.find(set_group_size, "zeKernelSetGroupSize");
  from.find(append_launch, "zeCommandListAppendLaunchKernel");
  from.find(allocate_host, "zeMemAllocHost");
  from.find(allocate_device, "zeMemAllocDevice");
  from.find(allocate_shared, "zeMemAllocShared");
  from.find(free_memory, "zeMemFree");
  from.find(allocation_properties, "zeMemGetAllocProperties");
  from.find(address_range, "zeMemGetAddressRange");
  from.find(ipc_export, "zeMemGetIpcHandle");
  from.find(ipc_open, "zeMemOpenIpcHandle");
  from.find(ipc_close, "zeMemCloseIpcHandle");
  from.find_if_there(synchronize_list, "zeCommandListHostSynchronize");
  from.find_if_there(ipc_put, "zeMemPutIpcHandle");
  return from.why_absent();
}

}  // namespace oriel::kinds
