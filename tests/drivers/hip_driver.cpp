// A libamdhip64.so.5 without a GPU: devices, streams and modules. Memory is in
// hip_driver_memory.cpp. Functions behave as HIP 5 documents them, as far as oriel calls them, or
// as HIP 6 where ORIEL_TEST_HIP_MAJOR is 6; buffers have no ids where ORIEL_TEST_HIP_IDS is "none".
#include "tests/drivers/hip_driver.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/drivers/kept.hpp"
#include "tests/drivers/kernel.hpp"

struct ihipModule_t {};
struct ihipModuleSymbol_t {};

namespace oriel::test_driver {
namespace {

constexpr int most_devices = 8;

std::array<ihipStream_t, most_devices>& default_streams =
    *new std::array<ihipStream_t, most_devices>;
std::array<std::atomic<unsigned>, most_devices> peers{};  // bit n: peer access to device n
thread_local int current = 0;
thread_local hipError_t last = hipSuccess;

ihipModule_t module;
ihipModuleSymbol_t atomic_function;

bool is_device(int device) {
  return device >= 0 && device < std::min(devices(), most_devices);
}

std::atomic<pid_t> owner{0};  // the process that first queried the devices

// A forked child has a copy of what its parent must free.
[[gnu::destructor]] void at_the_end_of_the_process() {
  if (owner.load() == getpid()) device_heap::instance().report_leaks();
}

}  // namespace

int current_device() {
  return current;
}

bool peer_enabled(int to, int from) {
  return (peers[static_cast<std::size_t>(to)].load() >> from & 1u) != 0;
}

ihipStream_t& stream_of(hipStream_t stream) {
  return stream != nullptr ? *stream : default_streams[static_cast<std::size_t>(current)];
}

hipError_t noted(hipError_t result) {
  if (result != hipSuccess) last = result;
  return result;
}

}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

hipError_t hipInit(unsigned) {
  return traced("hipInit", "", [](std::string&) { return hipSuccess; });
}

hipError_t hipRuntimeGetVersion(int* version) {
  const char* const major = std::getenv("ORIEL_TEST_HIP_MAJOR");
  *version = (major == nullptr ? 5 : std::atoi(major)) * 10'000'000 + 2 * 100'000;
  return hipSuccess;
}

hipError_t hipGetDeviceCount(int* count) {
  return traced("hipGetDeviceCount", "", [&](std::string&) {
    pid_t nobody = 0;
    owner.compare_exchange_strong(nobody, getpid());
    *count = std::min(devices(), most_devices);
    return hipSuccess;
  });
}

hipError_t hipSetDevice(int device) {
  return traced("hipSetDevice", std::to_string(device), [&](std::string&) {
    if (!is_device(device)) return hipErrorInvalidDevice;
    current = device;
    return hipSuccess;
  });
}

hipError_t hipGetDevice(int* device) {
  *device = current;
  return hipSuccess;
}

hipError_t hipDeviceGetName(char* name, int length, hipDevice_t device) {
  return traced("hipDeviceGetName", std::to_string(device), [&](std::string&) {
    if (!is_device(device)) return hipErrorInvalidDevice;
    std::snprintf(name, static_cast<std::size_t>(length), "test device");
    return hipSuccess;
  });
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int device) {
  return traced("hipDeviceGetAttribute",
                std::to_string(static_cast<int>(attribute)) + ", " + std::to_string(device),
                [&](std::string&) {
                  if (!is_device(device)) return hipErrorInvalidDevice;
                  switch (attribute) {
                    case hipDeviceAttributeManagedMemory:
                      *value = refuses("managed") ? 0 : 1;
                      return hipSuccess;
                    case hipDeviceAttributeConcurrentManagedAccess:
                      *value = 1;
                      return hipSuccess;
                    case hipDeviceAttributeHostNativeAtomicSupported:
                      *value = refuses("host_atomics") ? 0 : 1;
                      return hipSuccess;
                    case hipDeviceAttributeCanUseStreamWaitValue:
                      *value = refuses("wait_value") ? 0 : 1;
                      return hipSuccess;
                    default:
                      return hipErrorInvalidValue;
                  }
                });
}

hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return traced("hipDeviceCanAccessPeer", std::to_string(device) + ", " + std::to_string(peer),
                [&](std::string&) {
                  if (!is_device(device) || !is_device(peer)) return hipErrorInvalidDevice;
                  *can = device != peer && !refuses("peer") ? 1 : 0;
                  return hipSuccess;
                });
}

hipError_t hipDeviceGetUuid(hipUUID* id, hipDevice_t device) {
  return traced("hipDeviceGetUuid", std::to_string(device), [&](std::string&) {
    if (!is_device(device)) return hipErrorInvalidDevice;
    std::memset(id->bytes, 0x5a, sizeof id->bytes);
    id->bytes[0] = static_cast<char>(machine_device(device));
    return hipSuccess;
  });
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr what, int from, int to) {
  return traced("hipDeviceGetP2PAttribute", std::to_string(from) + ", " + std::to_string(to),
                [&](std::string&) {
                  if (!is_device(from) || !is_device(to) || from == to)
                    return hipErrorInvalidDevice;
                  if (what != hipDevP2PAttrNativeAtomicSupported) return hipErrorInvalidValue;
                  *value = refuses("peer_atomics") ? 0 : 1;
                  return hipSuccess;
                });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return traced("hipDeviceEnablePeerAccess", std::to_string(peer), [&](std::string&) {
    if (!is_device(peer) || peer == current || flags != 0) return hipErrorInvalidValue;
    if (refuses("peer")) return hipErrorPeerAccessUnsupported;
    const unsigned bit = 1u << peer;
    const unsigned before = peers[static_cast<std::size_t>(current)].fetch_or(bit);
    return (before & bit) != 0 ? hipErrorPeerAccessAlreadyEnabled : hipSuccess;
  });
}

hipError_t hipGetLastError() {
  return std::exchange(last, hipSuccess);
}

const char* hipGetErrorString(hipError_t error) {
  return error == hipErrorOutOfMemory ? "out of memory" : hipGetErrorName(error);
}

const char* hipGetErrorName(hipError_t error) {
  switch (error) {
    case hipErrorOutOfMemory:
      return "hipErrorOutOfMemory";
    case hipErrorNoDevice:
      return "hipErrorNoDevice";
    default:
      return "an error of the test driver";
  }
}

hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return traced("hipStreamCreateWithFlags", std::to_string(flags), [&](std::string& detail) {
    *stream = kept<ihipStream_t>::make(new ihipStream_t{current, {}});
    detail = " -> " + text_of(*stream);
    return hipSuccess;
  });
}

hipError_t hipStreamQuery(hipStream_t stream) {
  return traced("hipStreamQuery", text_of(stream), [&](std::string&) {
    const auto state = stream_of(stream).work.look();
    return state == work_queue::state::works    ? hipErrorNotReady
           : state == work_queue::state::failed ? hipErrorIllegalAddress
                                                : hipSuccess;
  });
}

hipError_t hipStreamSynchronize(hipStream_t stream) {
  return traced("hipStreamSynchronize", text_of(stream), [&](std::string&) {
    return stream_of(stream).work.wait() ? hipSuccess : hipErrorIllegalAddress;
  });
}

hipError_t hipModuleLoadData(hipModule_t* loaded, const void* image) {
  return traced("hipModuleLoadData", "", [&](std::string&) {
    if (image == nullptr || refuses("atomics")) return hipErrorInvalidImage;
    *loaded = &module;
    return hipSuccess;
  });
}

hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t, const char* name) {
  return traced("hipModuleGetFunction", name, [&](std::string&) {
    if (std::string_view(name) != oriel::kinds::atomic_kernel) return hipErrorNotFound;
    *function = &atomic_function;
    return hipSuccess;
  });
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid, unsigned, unsigned,
                                 unsigned block, unsigned, unsigned, unsigned, hipStream_t stream,
                                 void** parameters, void**) {
  const std::string arguments = "grid " + std::to_string(grid) + ", block " + std::to_string(block);
  return traced("hipModuleLaunchKernel", arguments, [&](std::string&) {
    if (function != &atomic_function || grid == 0 || block == 0 || block > 1024)
      return hipErrorInvalidValue;
    if (stream != nullptr && stream->device != current) return hipErrorInvalidResourceHandle;
    const auto task = *static_cast<const oriel::kinds::atomic_task*>(parameters[0]);
    const auto place = device_heap::instance().find(task.location);
    if (place && !place->opened && place->where == residence::device && place->device != current &&
        !peer_enabled(current, place->device)) {
      fault("a kernel reaches a peer without access", text_of(task.location));
      return hipErrorIllegalAddress;
    }
    stream_of(stream).work.begin_kernel(
        [task, on = current] { return run_atomic_kernel(on, task); });
    return hipSuccess;
  });
}

}  // extern "C"
