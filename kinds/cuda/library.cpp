#include "kinds/cuda/library.hpp"

#include "kinds/vendor_library.hpp"

namespace oriel::kinds {

// The names carry the versions that <cuda.h> gives them by macros.
std::string cuda_library::load() {
  vendor_library from("the CUDA driver", {"libcuda.so.1"});
  from.find(init, "cuInit");
  from.find(get_error_string, "cuGetErrorString");
  from.find(device_get_count, "cuDeviceGetCount");
  from.find(device_get, "cuDeviceGet");
  from.find(device_get_name, "cuDeviceGetName");
  from.find(device_get_attribute, "cuDeviceGetAttribute");
  from.find(device_can_access_peer, "cuDeviceCanAccessPeer");
  from.find(primary_context_retain, "cuDevicePrimaryCtxRetain");
  from.find(primary_context_state, "cuDevicePrimaryCtxGetState");
  from.find(context_get_current, "cuCtxGetCurrent");
  from.find(context_get_device, "cuCtxGetDevice");
  from.find(context_push, "cuCtxPushCurrent_v2");
  from.find(context_pop, "cuCtxPopCurrent_v2");
  from.find(enable_peer_access, "cuCtxEnablePeerAccess");
  from.find(allocate, "cuMemAlloc_v2");
  from.find(allocate_managed, "cuMemAllocManaged");
  from.find(allocate_host, "cuMemHostAlloc");
  from.find(free, "cuMemFree_v2");
  from.find(free_host, "cuMemFreeHost");
  from.find(host_register, "cuMemHostRegister_v2");
  from.find(host_unregister, "cuMemHostUnregister");
  from.find(get_address_range, "cuMemGetAddressRange_v2");
  from.find(pointer_get_attributes, "cuPointerGetAttributes");
  from.find(pointer_get_attribute, "cuPointerGetAttribute");
  from.find(copy_async, "cuMemcpyAsync");
  from.find(set_async, "cuMemsetD8Async");
  from.find(stream_create, "cuStreamCreate");
  from.find(stream_synchronize, "cuStreamSynchronize");
  from.find(stream_query, "cuStreamQuery");
  from.find_if_there(launch_host_function, "cuLaunchHostFunc");
  from.find_if_there(stream_wait_value, "cuStreamWaitValue64_v2");
  from.find_if_there(stream_is_capturing, "cuStreamIsCapturing");
  from.find_if_there(exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
  from.find_if_there(device_get_uuid, "cuDeviceGetUuid_v2");  // of a part of a device its own
  if (device_get_uuid == nullptr) from.find_if_there(device_get_uuid, "cuDeviceGetUuid");
  from.find_if_there(device_get_p2p_attribute, "cuDeviceGetP2PAttribute");
  from.find(ipc_get_handle, "cuIpcGetMemHandle");
  from.find(ipc_open_handle, "cuIpcOpenMemHandle_v2");
  from.find(ipc_close_handle, "cuIpcCloseMemHandle");
  from.find(module_load_data, "cuModuleLoadData");
  from.find(module_get_function, "cuModuleGetFunction");
  from.find(launch_kernel, "cuLaunchKernel");
  if (!from.why_absent().empty()) return from.why_absent();
  return failed("cuInit", init(0)) ? last_failure() : std::string();
}

bool cuda_library::failed(const char* call, CUresult result) const noexcept {
  if (result == CUDA_SUCCESS) return false;
  last_failed_call<CUresult>() = {call, result};
  return true;
}

std::string cuda_library::last_failure() const {
  return text_of_last_failure<CUresult>([this](CUresult result) {
    const char* words = nullptr;
    if (get_error_string(result, &words) != CUDA_SUCCESS || words == nullptr)
      return "error " + std::to_string(static_cast<int>(result));
    return std::string(words);
  });
}

}  // namespace oriel::kinds
