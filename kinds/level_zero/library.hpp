// The entry points of Level Zero that the kind `level_zero` uses, from the loader's library, which
// is itself loaded when the program runs.
#pragma once

#include <level_zero/ze_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace oriel::kinds {

struct level_zero_library {
  decltype(&zeInit) init = nullptr;
  decltype(&zeDriverGet) drivers = nullptr;
  decltype(&zeDriverGetExtensionFunctionAddress) extension = nullptr;
  decltype(&zeContextCreate) create_context = nullptr;
  decltype(&zeDeviceGet) devices = nullptr;
  decltype(&zeDeviceGetSubDevices) sub_devices = nullptr;
  decltype(&zeDeviceGetProperties) device_properties = nullptr;
  decltype(&zeDeviceGetMemoryAccessProperties) access_properties = nullptr;
  decltype(&zeDeviceGetModuleProperties) module_properties = nullptr;
  decltype(&zeDeviceCanAccessPeer) can_access_peer = nullptr;
  decltype(&zeDeviceGetP2PProperties) peer_properties = nullptr;

  decltype(&zeCommandListCreateImmediate) create_list = nullptr;
  decltype(&zeCommandListAppendMemoryCopy) append_copy = nullptr;
  decltype(&zeCommandListAppendMemoryFill) append_fill = nullptr;
  decltype(&zeCommandListAppendBarrier) append_barrier = nullptr;

  decltype(&zeModuleCreate) create_module = nullptr;
  decltype(&zeModuleDestroy) destroy_module = nullptr;
  decltype(&zeKernelCreate) create_kernel = nullptr;
  decltype(&zeKernelSetArgumentValue) set_argument = nullptr;
  decltype(&zeKernelSetGroupSize) set_group_size = nullptr;
  decltype(&zeCommandListAppendLaunchKernel) append_launch = nullptr;

  decltype(&zeMemAllocHost) allocate_host = nullptr;
  decltype(&zeMemAllocDevice) allocate_device = nullptr;
  decltype(&zeMemAllocShared) allocate_shared = nullptr;
  decltype(&zeMemFree) free_memory = nullptr;
  decltype(&zeMemGetAllocProperties) allocation_properties = nullptr;
  decltype(&zeMemGetAddressRange) address_range = nullptr;
  decltype(&zeMemGetIpcHandle) ipc_export = nullptr;
  decltype(&zeMemOpenIpcHandle) ipc_open = nullptr;
  decltype(&zeMemCloseIpcHandle) ipc_close = nullptr;

  // Of later versions than the oldest headers that oriel builds with (1.4), so declared here; null
  // where the loader is older.
  ze_result_t (*synchronize_list)(ze_command_list_handle_t, std::uint64_t) = nullptr;  // 1.6
  ze_result_t (*ipc_put)(ze_context_handle_t, ze_ipc_mem_handle_t) = nullptr;          // 1.6
  // Extensions of Intel's driver, for which Level Zero itself has nothing.
  ze_result_t (*import_host)(ze_driver_handle_t, void*, std::size_t) = nullptr;
  ze_result_t (*release_host)(ze_driver_handle_t, void*) = nullptr;

  // Fills the table; empty on success, else what is missing.
  std::string load();
  // Whether the call failed; then it is noted for `last_failure`.
  bool failed(const char* call, ze_result_t code) const noexcept;
  // The calling thread's: "zeMemAllocDevice: 0x70000003 (out of memory of the device)".
  [[nodiscard]] std::string last_failure() const;
};

}  // namespace oriel::kinds
