// A libcuda.so.1 without a GPU: devices, contexts and streams. Memory is in cuda_driver_memory.cpp,
// modules and kernels are in cuda_driver_kernels.cpp. Functions behave as the CUDA driver API
// documents them, as far as oriel calls them.
#include "tests/drivers/cuda_driver.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

namespace oriel::test_driver {
namespace {

constexpr int most_devices = 8;

std::mutex mutex;
pid_t owner = 0;
std::array<CUctx_st, most_devices>& contexts = *new std::array<CUctx_st, most_devices>;
std::array<bool, most_devices> retained{};
thread_local std::vector<CUcontext> stack;

bool is_device(CUdevice device) {
  return device >= 0 && device < devices();
}

std::string number(long long value) {
  return std::to_string(value);
}

[[gnu::destructor]] void at_the_end_of_the_process() {
  if (initialized()) device_heap::instance().report_leaks();
}

}  // namespace

CUcontext current_context() {
  return stack.empty() ? nullptr : stack.back();
}
bool initialized() {
  const std::lock_guard lock(mutex);
  return owner == getpid();
}

}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

CUresult cuInit(unsigned flags) {
  return traced("cuInit", needs::nothing, number(flags), [&](std::string&) {
    if (devices() == 0) return CUDA_ERROR_NO_DEVICE;
    const std::lock_guard lock(mutex);
    if (owner != 0 && owner != getpid()) return CUDA_ERROR_NOT_INITIALIZED;  // after a fork
    owner = getpid();
    return CUDA_SUCCESS;
  });
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_OUT_OF_MEMORY ? "out of memory" : "an error of the test driver";
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return traced("cuDeviceGetCount", needs::cuda, "", [&](std::string&) {
    *count = std::min(devices(), most_devices);
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return traced("cuDeviceGet", needs::cuda, number(ordinal), [&](std::string&) {
    if (!is_device(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return traced("cuDeviceGetName", needs::cuda, number(device), [&](std::string&) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::snprintf(name, static_cast<std::size_t>(length), "test device");
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return traced("cuDeviceGetAttribute", needs::cuda, number(attribute) + ", " + number(device),
                [&](std::string&) {
                  if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
                  switch (attribute) {
                    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
                      *value = refuses("atomics") ? 5 : 9;
                      return CUDA_SUCCESS;
                    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
                      *value = 0;
                      return CUDA_SUCCESS;
                    case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
                      *value = refuses("ipc") ? 0 : 1;
                      return CUDA_SUCCESS;
                    case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
                      *value = refuses("host_atomics") ? 0 : 1;
                      return CUDA_SUCCESS;
                    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
                      *value = refuses("wait_value") ? 0 : 1;
                      return CUDA_SUCCESS;
                    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
                    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
                      *value = refuses("managed") ? 0 : 1;
                      return CUDA_SUCCESS;
                    default:
                      return CUDA_ERROR_INVALID_VALUE;
                  }
                });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return traced("cuDeviceCanAccessPeer", needs::cuda, number(device) + ", " + number(peer),
                [&](std::string&) {
                  if (!is_device(device) || !is_device(peer)) return CUDA_ERROR_INVALID_DEVICE;
                  *can = device != peer && !refuses("peer") ? 1 : 0;
                  return CUDA_SUCCESS;
                });
}

CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice device) {
  return traced("cuDeviceGetUuid_v2", needs::cuda, number(device), [&](std::string&) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    std::memset(id->bytes, 0x5a, sizeof id->bytes);
    id->bytes[0] = static_cast<char>(machine_device(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute what, CUdevice from,
                                 CUdevice to) {
  return traced("cuDeviceGetP2PAttribute", needs::cuda, number(from) + ", " + number(to),
                [&](std::string&) {
                  if (!is_device(from) || !is_device(to) || from == to)
                    return CUDA_ERROR_INVALID_DEVICE;
                  if (what != CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED)
                    return CUDA_ERROR_INVALID_VALUE;
                  *value = refuses("peer_atomics") ? 0 : 1;
                  return CUDA_SUCCESS;
                });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return traced("cuDevicePrimaryCtxRetain", needs::cuda, number(device), [&](std::string&) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(mutex);
    *context = &contexts[static_cast<std::size_t>(device)];
    (*context)->device = device;
    retained[static_cast<std::size_t>(device)] = true;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return traced("cuDevicePrimaryCtxGetState", needs::cuda, number(device), [&](std::string&) {
    if (!is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    const std::lock_guard lock(mutex);
    *flags = 0;
    *active = retained[static_cast<std::size_t>(device)] ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current_context();
  return initialized() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

// Whoever has no context need not ask: compute-sanitizer reports the error that this is.
CUresult cuCtxGetDevice(CUdevice* device) {
  if (current_context() == nullptr) {
    fault("cuCtxGetDevice without a context", "");
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *device = current_context()->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return traced("cuCtxPushCurrent_v2", needs::cuda, text_of(context), [&](std::string&) {
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    stack.push_back(context);
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  return traced("cuCtxPopCurrent_v2", needs::context, "", [&](std::string&) {
    if (context != nullptr) *context = stack.back();
    stack.pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return traced("cuCtxEnablePeerAccess", needs::context, number(peer->device), [&](std::string&) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (refuses("peer")) return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    const std::lock_guard lock(mutex);
    const std::uint32_t bit = std::uint32_t{1} << peer->device;
    if ((current_context()->peers & bit) != 0) return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
    current_context()->peers |= bit;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return traced("cuStreamCreate", needs::context, number(flags), [&](std::string& detail) {
    *stream = kept<CUstream_st>::make(new CUstream_st);
    (*stream)->context = current_context();
    (*stream)->blocking = (flags & CU_STREAM_NON_BLOCKING) == 0;
    detail = " -> " + text_of(*stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamDestroy(CUstream stream) {
  return traced("cuStreamDestroy_v2", needs::cuda, text_of(stream), [&](std::string&) {
    stream->work->wait();
    kept<CUstream_st>::destroy(stream);
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamQuery(CUstream stream) {
  return traced("cuStreamQuery", needs::context, text_of(stream), [&](std::string&) {
    if (stream != nullptr && stream->context != current_context()) return CUDA_ERROR_INVALID_HANDLE;
    const auto state = work_of(stream)->look();
    return state == work_queue::state::works    ? CUDA_ERROR_NOT_READY
           : state == work_queue::state::failed ? CUDA_ERROR_ILLEGAL_ADDRESS
                                                : CUDA_SUCCESS;
  });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return traced("cuStreamSynchronize", needs::context, text_of(stream), [&](std::string&) {
    if (stream != nullptr && stream->context != current_context()) return CUDA_ERROR_INVALID_HANDLE;
    return work_of(stream)->wait() ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
  });
}

}  // extern "C"
