#include "kinds/level_zero/library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <type_traits>

namespace oriel::kinds {
namespace {

// Kept as it came: making a text of it could fail where failures are reported.
struct failure {
  const char* call = nullptr;
  ze_result_t code = ZE_RESULT_SUCCESS;
};
thread_local failure last;

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
  last = {call, code};
  return true;
}

std::string level_zero_library::last_failure() const {
  if (last.call == nullptr) return {};
  char number[16];
  std::snprintf(number, sizeof number, "0x%x", static_cast<unsigned>(last.code));
  return std::string(last.call) + ": " + number + " (" + meaning(last.code) + ")";
}

std::string load(level_zero_library& library) {
  void* const handle = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  std::string why;
  const auto fill = [handle](auto& member, const char* name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(dlsym(handle, name));
    return member != nullptr;
  };
  const auto need = [&](auto& member, const char* name) {
    if (!fill(member, name) && why.empty())
      why = std::string("the Level Zero loader lacks ") + name;
  };
  need(library.init, "zeInit");
  need(library.drivers, "zeDriverGet");
  need(library.extension, "zeDriverGetExtensionFunctionAddress");
  need(library.create_context, "zeContextCreate");
  need(library.devices, "zeDeviceGet");
  need(library.sub_devices, "zeDeviceGetSubDevices");
  need(library.device_properties, "zeDeviceGetProperties");
  need(library.access_properties, "zeDeviceGetMemoryAccessProperties");
  need(library.can_access_peer, "zeDeviceCanAccessPeer");
  need(library.create_list, "zeCommandListCreateImmediate");
  need(library.append_copy, "zeCommandListAppendMemoryCopy");
  need(library.append_fill, "zeCommandListAppendMemoryFill");
  need(library.append_barrier, "zeCommandListAppendBarrier");
  need(library.allocate_host, "zeMemAllocHost");
  need(library.allocate_device, "zeMemAllocDevice");
  need(library.allocate_shared, "zeMemAllocShared");
  need(library.free_memory, "zeMemFree");
  need(library.allocation_properties, "zeMemGetAllocProperties");
  need(library.address_range, "zeMemGetAddressRange");
  need(library.ipc_export, "zeMemGetIpcHandle");
  need(library.ipc_open, "zeMemOpenIpcHandle");
  need(library.ipc_close, "zeMemCloseIpcHandle");
  fill(library.synchronize_list, "zeCommandListHostSynchronize");
  fill(library.ipc_put, "zeMemPutIpcHandle");
  return why;
}

}  // namespace oriel::kinds
