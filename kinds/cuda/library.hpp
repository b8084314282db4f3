// The CUDA driver's entry points, found in libcuda.so.1 when the program runs: oriel never links
// it, so that one build serves machines with and without NVIDIA's driver.
#pragma once

#include <cuda.h>

#include <string>

namespace oriel::kinds {

struct cuda_library {
  decltype(&::cuInit) init = nullptr;
  decltype(&::cuGetErrorString) get_error_string = nullptr;
  decltype(&::cuDeviceGetCount) device_get_count = nullptr;
  decltype(&::cuDeviceGet) device_get = nullptr;
  decltype(&::cuDeviceGetName) device_get_name = nullptr;
  decltype(&::cuDeviceGetAttribute) device_get_attribute = nullptr;
  decltype(&::cuDeviceCanAccessPeer) device_can_access_peer = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) primary_context_retain = nullptr;
  decltype(&::cuDevicePrimaryCtxGetState) primary_context_state = nullptr;
  decltype(&::cuCtxGetCurrent) context_get_current = nullptr;
  decltype(&::cuCtxGetDevice) context_get_device = nullptr;
  decltype(&::cuCtxPushCurrent) context_push = nullptr;
  decltype(&::cuCtxPopCurrent) context_pop = nullptr;
  decltype(&::cuCtxEnablePeerAccess) enable_peer_access = nullptr;
  decltype(&::cuMemAlloc) allocate = nullptr;
  decltype(&::cuMemAllocManaged) allocate_managed = nullptr;
  decltype(&::cuMemHostAlloc) allocate_host = nullptr;
  decltype(&::cuMemFree) free = nullptr;
  decltype(&::cuMemFreeHost) free_host = nullptr;
  decltype(&::cuMemHostRegister) host_register = nullptr;
  decltype(&::cuMemHostUnregister) host_unregister = nullptr;
  decltype(&::cuMemGetAddressRange) get_address_range = nullptr;
  decltype(&::cuPointerGetAttributes) pointer_get_attributes = nullptr;
  decltype(&::cuPointerGetAttribute) pointer_get_attribute = nullptr;
  decltype(&::cuMemcpyAsync) copy_async = nullptr;
  decltype(&::cuMemsetD8Async) set_async = nullptr;
  decltype(&::cuStreamCreate) stream_create = nullptr;
  decltype(&::cuStreamSynchronize) stream_synchronize = nullptr;
  decltype(&::cuStreamQuery) stream_query = nullptr;
  // Null in drivers that lack them.
  decltype(&::cuLaunchHostFunc) launch_host_function = nullptr;
  decltype(&::cuStreamWaitValue64) stream_wait_value = nullptr;
  decltype(&::cuStreamIsCapturing) stream_is_capturing = nullptr;
  decltype(&::cuDeviceGetUuid) device_get_uuid = nullptr;
  decltype(&::cuDeviceGetP2PAttribute) device_get_p2p_attribute = nullptr;
  decltype(&::cuThreadExchangeStreamCaptureMode) exchange_capture_mode = nullptr;
  decltype(&::cuIpcGetMemHandle) ipc_get_handle = nullptr;
  decltype(&::cuIpcOpenMemHandle) ipc_open_handle = nullptr;
  decltype(&::cuIpcCloseMemHandle) ipc_close_handle = nullptr;
  decltype(&::cuModuleLoadData) module_load_data = nullptr;
  decltype(&::cuModuleGetFunction) module_get_function = nullptr;
  decltype(&::cuLaunchKernel) launch_kernel = nullptr;

  // Fills the table and initializes the driver; else why that cannot be.
  std::string load();
  // Whether the call failed; then it is noted for `last_failure`.
  bool failed(const char* call, CUresult) const noexcept;
  // The calling thread's: "cuMemAlloc: out of memory", in the driver's words; empty before the
  // first.
  [[nodiscard]] std::string last_failure() const;
};

}  // namespace oriel::kinds
