#include "kinds/cuda/library.hpp"

#include <dlfcn.h>

namespace oriel::kinds {
namespace {

// Looks symbols up and remembers the first that is not there.
class symbols {
 public:
  explicit symbols(void* library) : library_(library) {}

  template <class Function>
  void find(Function*& entry, const char* name) {
    entry = reinterpret_cast<Function*>(dlsym(library_, name));
    if (entry == nullptr && missing_.empty()) missing_ = name;
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

// The names carry the versions that <cuda.h> gives them by macros.
std::string cuda_library::load() {
  // Never closed: the driver keeps threads and handlers of the process's end.
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return std::string("the CUDA driver cannot be loaded: ") + (why == nullptr ? "" : why);
  }
  symbols found(library);
  found.find(init, "cuInit");
  found.find(get_error_string, "cuGetErrorString");
  found.find(device_get_count, "cuDeviceGetCount");
  found.find(device_get, "cuDeviceGet");
  found.find(device_get_name, "cuDeviceGetName");
  found.find(device_get_attribute, "cuDeviceGetAttribute");
  found.find(device_can_access_peer, "cuDeviceCanAccessPeer");
  found.find(primary_context_retain, "cuDevicePrimaryCtxRetain");
  found.find(primary_context_state, "cuDevicePrimaryCtxGetState");
  found.find(context_get_current, "cuCtxGetCurrent");
  found.find(context_get_device, "cuCtxGetDevice");
  found.find(context_push, "cuCtxPushCurrent_v2");
  found.find(context_pop, "cuCtxPopCurrent_v2");
  found.find(enable_peer_access, "cuCtxEnablePeerAccess");
  found.find(allocate, "cuMemAlloc_v2");
  found.find(allocate_managed, "cuMemAllocManaged");
  found.find(allocate_host, "cuMemHostAlloc");
  found.find(free, "cuMemFree_v2");
  found.find(free_host, "cuMemFreeHost");
  found.find(host_register, "cuMemHostRegister_v2");
  found.find(host_unregister, "cuMemHostUnregister");
  found.find(get_address_range, "cuMemGetAddressRange_v2");
  found.find(pointer_get_attributes, "cuPointerGetAttributes");
  found.find(pointer_get_attribute, "cuPointerGetAttribute");
  found.find(copy_async, "cuMemcpyAsync");
  found.find(set_async, "cuMemsetD8Async");
  found.find(stream_create, "cuStreamCreate");
  found.find(stream_synchronize, "cuStreamSynchronize");
  found.find(ipc_get_handle, "cuIpcGetMemHandle");
  found.find(ipc_open_handle, "cuIpcOpenMemHandle_v2");
  found.find(ipc_close_handle, "cuIpcCloseMemHandle");
  found.find(module_load_data, "cuModuleLoadData");
  found.find(module_get_function, "cuModuleGetFunction");
  found.find(launch_kernel, "cuLaunchKernel");
  if (!found.missing().empty()) return "the CUDA driver is too old: it has no " + found.missing();
  if (const CUresult r = init(0); r != CUDA_SUCCESS) return "cuInit: " + text(r);
  return {};
}

std::string cuda_library::text(CUresult result) const {
  const char* words = nullptr;
  if (get_error_string(result, &words) != CUDA_SUCCESS || words == nullptr)
    return "error " + std::to_string(static_cast<int>(result));
  return words;
}

}  // namespace oriel::kinds
