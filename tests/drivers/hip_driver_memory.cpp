// The HIP test driver's memory: allocations, attributes of pointers, copies, handles for other
// processes.
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/drivers/driver_memory.hpp"
#include "tests/drivers/hip_driver.hpp"

namespace oriel::test_driver {
namespace {

constexpr heap_codes<hipError_t> result_of{
    .ok = hipSuccess,
    .out_of_memory = hipErrorOutOfMemory,
    .already_opened = hipErrorAlreadyMapped,
    .own_handle = hipErrorInvalidContext,  // as a real driver returns
    .otherwise = hipErrorInvalidValue,
};

hipError_t allocate(residence where, std::size_t bytes, void** base, std::string& detail) {
  return result_of(allocate_fresh(where, current_device(), bytes, base, detail));
}

// HIP frees memory of the host and of devices by different calls.
hipError_t free_as(void* base, bool host) {
  const auto found = device_heap::instance().find(base);
  const bool signal = forget_signal(base);
  if (found && (found->where == residence::host && !signal) != host) {
    fault("freed by the wrong call", text_of(base));
    return hipErrorInvalidValue;
  }
  return result_of(device_heap::instance().free(base));
}

bool version_6() {
  const char* const major = std::getenv("ORIEL_TEST_HIP_MAJOR");
  return major != nullptr && std::atoi(major) == 6;
}

std::string copy_text(const void* to, const void* from, std::size_t bytes) {
  return text_of(to) + ", " + text_of(from) + ", " + std::to_string(bytes);
}

int device_of(const void* p) {
  const auto found = device_heap::instance().find(p);
  return found && found->where == residence::device ? found->device : -1;
}

// A copy in which the stream's device has no part: a real runtime hands it to another stream, for
// which nobody waits.
bool strange(const ihipStream_t& stream, const void* to, const void* from) {
  const int sink = device_of(to);
  const int source = device_of(from);
  return (sink >= 0 || source >= 0) && sink != stream.device && source != stream.device;
}

}  // namespace
}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

hipError_t hipMalloc(void** base, std::size_t bytes) {
  return traced("hipMalloc", std::to_string(bytes), [&](std::string& detail) {
    return allocate(residence::device, bytes, base, detail);
  });
}

hipError_t hipHostMalloc(void** base, std::size_t bytes, unsigned flags) {
  const std::string arguments = std::to_string(bytes) + ", " + std::to_string(flags);
  return traced("hipHostMalloc", arguments, [&](std::string& detail) {
    return allocate(residence::host, bytes, base, detail);
  });
}

// Of the flags those of memory that is coherent while kernels run, and of signals: 8 bytes that
// streams may wait for.
hipError_t hipExtMallocWithFlags(void** base, std::size_t bytes, unsigned flags) {
  const std::string arguments = std::to_string(bytes) + ", " + std::to_string(flags);
  return traced("hipExtMallocWithFlags", arguments, [&](std::string& detail) {
    if (flags == hipDeviceMallocFinegrained)
      return allocate(residence::device, bytes, base, detail);
    if (flags != hipMallocSignalMemory || bytes != sizeof(std::uint64_t))
      return hipErrorInvalidValue;
    const hipError_t result = allocate(residence::host, bytes, base, detail);
    if (result == hipSuccess) note_signal(*base);
    return result;
  });
}

hipError_t hipMallocManaged(void** base, std::size_t bytes, unsigned flags) {
  return traced("hipMallocManaged", std::to_string(bytes), [&](std::string& detail) {
    if (refuses("managed")) return hipErrorNotSupported;
    if (flags != hipMemAttachGlobal) return hipErrorInvalidValue;
    return allocate(residence::managed, bytes, base, detail);
  });
}

hipError_t hipFree(void* base) {
  return traced("hipFree", text_of(base), [&](std::string&) { return free_as(base, false); });
}

hipError_t hipHostFree(void* base) {
  return traced("hipHostFree", text_of(base), [&](std::string&) { return free_as(base, true); });
}

hipError_t hipHostRegister(void* memory, std::size_t bytes, unsigned) {
  return traced("hipHostRegister", text_of(memory) + ", " + std::to_string(bytes),
                [&](std::string&) {
                  return device_heap::instance().pin(memory, bytes) == heap_status::ok
                             ? hipSuccess
                             : hipErrorHostMemoryAlreadyRegistered;
                });
}

hipError_t hipHostUnregister(void* memory) {
  return traced("hipHostUnregister", text_of(memory), [&](std::string&) {
    return device_heap::instance().unpin(memory) == heap_status::ok
               ? hipSuccess
               : hipErrorHostMemoryNotRegistered;
  });
}

hipError_t hipPointerGetAttributes(hipPointerAttribute_t* attributes, const void* pointer) {
  return traced("hipPointerGetAttributes", text_of(pointer), [&](std::string&) {
    // HIP 6 calls the first field `type` and counts from "unregistered", which is no error.
    const int host = version_6() ? 1 : 0;
    const auto found = find_any(pointer);
    if (!found && !version_6()) return hipErrorInvalidValue;
    *attributes = hipPointerAttribute_t{};
    int type = 0;
    if (found) {
      const bool managed = found->where == residence::managed;
      type = found->where == residence::host ? host : host + 1;
      if (managed && version_6()) type = host + 2;
      attributes->isManaged = managed ? 1 : 0;
      attributes->device = found->device;
      attributes->devicePointer = const_cast<void*>(pointer);
    }
    std::memcpy(static_cast<void*>(attributes), &type, sizeof type);
    return hipSuccess;
  });
}

hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute attribute,
                                  hipDeviceptr_t pointer) {
  return traced("hipPointerGetAttribute", text_of(pointer), [&](std::string&) {
    const auto found = find_any(pointer);
    if (!found || attribute != HIP_POINTER_ATTRIBUTE_BUFFER_ID ||
        std::getenv("ORIEL_TEST_HIP_IDS") != nullptr)
      return hipErrorInvalidValue;
    std::memcpy(data, &found->id, sizeof found->id);
    return hipSuccess;
  });
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t* base, std::size_t* bytes, hipDeviceptr_t pointer) {
  return traced("hipMemGetAddressRange", text_of(pointer), [&](std::string&) {
    const auto found = find_any(pointer);
    if (!found) return hipErrorInvalidDevicePointer;
    *base = found->base;
    *bytes = found->bytes;
    return hipSuccess;
  });
}

hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return traced("hipMemcpyAsync", copy_text(to, from, bytes), [&](std::string&) {
    if (kind != hipMemcpyDefault) return hipErrorInvalidMemcpyDirection;
    ihipStream_t& s = stream_of(stream);
    if (strange(s, to, from))
      fault("a copy by a stream of another device", copy_text(to, from, bytes));
    s.work.begin([=] { return copy_bytes(to, from, bytes); });
    return hipSuccess;
  });
}

hipError_t hipMemsetAsync(void* to, int value, std::size_t bytes, hipStream_t stream) {
  return traced("hipMemsetAsync", text_of(to) + ", " + std::to_string(bytes), [&](std::string&) {
    const auto byte = static_cast<unsigned char>(value);
    stream_of(stream).work.begin([=] { return fill_bytes(to, byte, bytes); });
    return hipSuccess;
  });
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* pointer) {
  return traced("hipIpcGetMemHandle", text_of(pointer), [&](std::string&) {
    const auto found = device_heap::instance().find(pointer);
    if (refuses("ipc")) return hipErrorNotSupported;
    if (!found || found->where != residence::device || found->opened) return hipErrorInvalidValue;
    const heap_handle made = device_heap::export_handle(*found);
    std::memcpy(handle, &made, sizeof made);
    return hipSuccess;
  });
}

hipError_t hipIpcOpenMemHandle(void** base, hipIpcMemHandle_t handle, unsigned flags) {
  return traced("hipIpcOpenMemHandle", std::to_string(flags), [&](std::string& detail) {
    if (refuses("ipc")) return hipErrorNotSupported;
    heap_handle h;
    std::memcpy(static_cast<void*>(&h), &handle, sizeof h);
    const hipError_t result = result_of(device_heap::instance().open(h, current_device(), base));
    if (result == hipSuccess) detail = " -> " + text_of(*base);
    return result;
  });
}

hipError_t hipIpcCloseMemHandle(void* base) {
  return traced("hipIpcCloseMemHandle", text_of(base),
                [&](std::string&) { return result_of(device_heap::instance().close(base)); });
}

}  // extern "C"
