// The entry points of HIP that the kind `rocm` uses. AMD's library is loaded when the program runs;
// HIP for NVIDIA is a header over the CUDA runtime, and there the same table holds its functions.
#pragma once

#include <hip/hip_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace oriel::kinds {

struct rocm_library {
  hipError_t (*init)(unsigned) = nullptr;
  hipError_t (*runtime_version)(int*) = nullptr;
  hipError_t (*device_count)(int*) = nullptr;
  hipError_t (*set_device)(int) = nullptr;
  hipError_t (*get_device)(int*) = nullptr;
  hipError_t (*device_name)(char*, int, hipDevice_t) = nullptr;
  hipError_t (*device_attribute)(int*, hipDeviceAttribute_t, int) = nullptr;
  hipError_t (*device_uuid)(hipUUID*, hipDevice_t) = nullptr;
  hipError_t (*can_access_peer)(int*, int, int) = nullptr;
  hipError_t (*p2p_attribute)(int*, hipDeviceP2PAttr, int, int) = nullptr;
  hipError_t (*enable_peer_access)(int, unsigned) = nullptr;
  hipError_t (*last_error)() = nullptr;
  const char* (*error_name)(hipError_t) = nullptr;
  const char* (*error_text)(hipError_t) = nullptr;

  hipError_t (*allocate_device)(void**, std::size_t) = nullptr;
  hipError_t (*allocate_host)(void**, std::size_t, unsigned) = nullptr;
  hipError_t (*allocate_managed)(void**, std::size_t, unsigned) = nullptr;
  hipError_t (*free_device)(void*) = nullptr;
  hipError_t (*free_host)(void*) = nullptr;
  hipError_t (*register_host)(void*, std::size_t, unsigned) = nullptr;
  hipError_t (*unregister_host)(void*) = nullptr;
  hipError_t (*pointer_attributes)(hipPointerAttribute_t*, const void*) = nullptr;
  hipError_t (*pointer_attribute)(void*, hipPointer_attribute, hipDeviceptr_t) = nullptr;
  hipError_t (*address_range)(hipDeviceptr_t*, std::size_t*, hipDeviceptr_t) = nullptr;

  hipError_t (*create_stream)(hipStream_t*, unsigned) = nullptr;
  hipError_t (*synchronize_stream)(hipStream_t) = nullptr;
  hipError_t (*query_stream)(hipStream_t) = nullptr;
  hipError_t (*copy_async)(void*, const void*, std::size_t, hipMemcpyKind, hipStream_t) = nullptr;
  hipError_t (*set_async)(void*, int, std::size_t, hipStream_t) = nullptr;

  // Null where HIP lacks them, as HIP over NVIDIA's does.
  hipError_t (*launch_host_function)(hipStream_t, void (*)(void*), void*) = nullptr;
  hipError_t (*stream_wait_value)(hipStream_t, void*, std::uint64_t, unsigned,
                                  std::uint64_t) = nullptr;
  hipError_t (*stream_is_capturing)(hipStream_t, hipStreamCaptureStatus*) = nullptr;
  hipError_t (*allocate_with_flags)(void**, std::size_t, unsigned) = nullptr;
  hipError_t (*exchange_capture_mode)(hipStreamCaptureMode*) = nullptr;

  hipError_t (*ipc_export)(hipIpcMemHandle_t*, void*) = nullptr;
  hipError_t (*ipc_open)(void**, hipIpcMemHandle_t, unsigned) = nullptr;
  hipError_t (*ipc_close)(void*) = nullptr;

  hipError_t (*load_module)(hipModule_t*, const void*) = nullptr;
  hipError_t (*module_function)(hipFunction_t*, hipModule_t, const char*) = nullptr;
  hipError_t (*launch)(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, hipStream_t, void**, void**) = nullptr;

  // Fills the table; empty on success, else what is missing.
  std::string load();
  // Whether the call failed. Then it is noted for `last_failure`, and taken from what the program's
  // hipGetLastError would return: it is no failure of the program's own.
  bool failed(const char* call, hipError_t code) const noexcept;
  // The calling thread's: "hipMalloc: hipErrorOutOfMemory (out of memory)"; empty before the first.
  [[nodiscard]] std::string last_failure() const;
};

}  // namespace oriel::kinds
