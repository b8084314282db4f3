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
  decltype(&::cuIpcGetMemHandle) ipc_get_handle = nullptr;
  decltype(&::cuIpcOpenMemHandle) ipc_open_handle = nullptr;
  decltype(&::cuIpcCloseMemHandle) ipc_close_handle = nullptr;
  decltype(&::cuModuleLoadData) module_load_data = nullptr;
  decltype(&::cuModuleGetFunction) module_get_function = nullptr;
  decltype(&::cuLaunchKernel) launch_kernel = nullptr;

  // Fills the table and initializes the driver; else why that cannot be.
  std::string load();
  // "out of memory", in the driver's words.
  [[nodiscard]] std::string text(CUresult) const;
};

// Makes a context the calling thread's for as long as the object lives. A thread that has it
// already, as one that uses the CUDA runtime's API mostly has, pays one query.
class cuda_context_guard {
 public:
  cuda_context_guard(const cuda_library& cuda, CUcontext wanted) noexcept : cuda_(cuda) {
    CUcontext now = nullptr;
    if (cuda_.context_get_current(&now) == CUDA_SUCCESS && now == wanted) return;
    pushed_ = cuda_.context_push(wanted) == CUDA_SUCCESS;
  }
  ~cuda_context_guard() {
    if (CUcontext popped = nullptr; pushed_) cuda_.context_pop(&popped);
  }
  cuda_context_guard(const cuda_context_guard&) = delete;
  cuda_context_guard& operator=(const cuda_context_guard&) = delete;

 private:
  const cuda_library& cuda_;
  bool pushed_ = false;
};

}  // namespace oriel::kinds
