// The Level Zero test driver's memory: allocations, their properties, handles for other processes.
// A handle begins with a file descriptor of the process that it is used in.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "tests/drivers/driver_memory.hpp"
#include "tests/drivers/level_zero_driver.hpp"

namespace oriel::test_driver {
namespace {

std::mutex mutex;
// The descriptors that exports made, by the allocation's id: closed when a handle is put back, or
// with the memory.
std::multimap<std::uint64_t, int>& exports = *new std::multimap<std::uint64_t, int>;

constexpr heap_codes<ze_result_t> result_of{
    .ok = ZE_RESULT_SUCCESS,
    .out_of_memory = ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
    .already_opened = ZE_RESULT_ERROR_INVALID_ARGUMENT,
    .own_handle = ZE_RESULT_ERROR_INVALID_ARGUMENT,
    .otherwise = ZE_RESULT_ERROR_INVALID_ARGUMENT,
};

ze_result_t allocate(residence where, int device, std::size_t bytes, void** base,
                     std::string& detail) {
  if (device < 0) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  return result_of(allocate_fresh(where, device, bytes, base, detail));
}

// The heap's own handle with the descriptor over the front half of the word that marks it, which
// is the same for all.
ze_ipc_mem_handle_t to_driver(const heap_handle& handle, int descriptor) {
  ze_ipc_mem_handle_t out;
  std::memcpy(&out, static_cast<const void*>(&handle), sizeof out);
  std::memcpy(&out, &descriptor, sizeof descriptor);
  return out;
}

heap_handle from_driver(const ze_ipc_mem_handle_t& handle, int& descriptor) {
  heap_handle out;
  std::memcpy(&descriptor, &handle, sizeof descriptor);
  std::memcpy(static_cast<void*>(&out), &handle, sizeof out);
  out.magic = device_heap::export_handle({}).magic;
  return out;
}

// Whether the descriptor is of the exported memory: a number that was not taken over from the
// exporter is of something else, or of nothing.
bool names(int descriptor, const heap_handle& handle) {
  const std::string there =
      "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.fd);
  struct stat mine {};
  struct stat theirs {};
  return fstat(descriptor, &mine) == 0 && stat(there.c_str(), &theirs) == 0 &&
         mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino;
}

}  // namespace
}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

ze_result_t zeMemAllocHost(ze_context_handle_t, const ze_host_mem_alloc_desc_t*, std::size_t bytes,
                           std::size_t, void** base) {
  return traced("zeMemAllocHost", std::to_string(bytes), [&](std::string& detail) {
    return allocate(residence::host, 0, bytes, base, detail);
  });
}

ze_result_t zeMemAllocDevice(ze_context_handle_t, const ze_device_mem_alloc_desc_t*,
                             std::size_t bytes, std::size_t, ze_device_handle_t device,
                             void** base) {
  return traced("zeMemAllocDevice", std::to_string(bytes), [&](std::string& detail) {
    return allocate(residence::device, ordinal_of(device), bytes, base, detail);
  });
}

ze_result_t zeMemAllocShared(ze_context_handle_t, const ze_device_mem_alloc_desc_t*,
                             const ze_host_mem_alloc_desc_t*, std::size_t bytes, std::size_t,
                             ze_device_handle_t device, void** base) {
  return traced("zeMemAllocShared", std::to_string(bytes), [&](std::string& detail) {
    if (refuses("managed")) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    return allocate(residence::managed, ordinal_of(device), bytes, base, detail);
  });
}

ze_result_t zeMemFree(ze_context_handle_t, void* base) {
  return traced("zeMemFree", text_of(base), [&](std::string&) {
    if (const auto found = device_heap::instance().find(base)) {
      const std::lock_guard hold{mutex};
      const auto [first, last] = exports.equal_range(found->id);
      for (auto e = first; e != last; ++e) close(e->second);
      exports.erase(first, last);
    }
    return result_of(device_heap::instance().free(base));
  });
}

// Of memory that is not Level Zero's, the type is unknown, and that is no error.
ze_result_t zeMemGetAllocProperties(ze_context_handle_t, const void* pointer,
                                    ze_memory_allocation_properties_t* to,
                                    ze_device_handle_t* device) {
  return traced("zeMemGetAllocProperties", text_of(pointer), [&](std::string&) {
    const auto found = device_heap::instance().find(pointer);
    to->type = !found                              ? ZE_MEMORY_TYPE_UNKNOWN
               : found->where == residence::host   ? ZE_MEMORY_TYPE_HOST
               : found->where == residence::device ? ZE_MEMORY_TYPE_DEVICE
                                                   : ZE_MEMORY_TYPE_SHARED;
    to->id = found ? found->id : 0;
    to->pageSize = found ? std::uint64_t{2} << 20 : 0;
    const bool on_device = found && found->where != residence::host;
    if (device != nullptr) *device = on_device ? device_handle(found->device) : nullptr;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeMemGetAddressRange(ze_context_handle_t, const void* pointer, void** base,
                                 std::size_t* bytes) {
  return traced("zeMemGetAddressRange", text_of(pointer), [&](std::string&) {
    const auto found = device_heap::instance().find(pointer);
    if (!found) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (base != nullptr) *base = found->base;
    if (bytes != nullptr) *bytes = found->bytes;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeMemGetIpcHandle(ze_context_handle_t, const void* pointer,
                              ze_ipc_mem_handle_t* handle) {
  return traced("zeMemGetIpcHandle", text_of(pointer), [&](std::string& detail) {
    const auto found = device_heap::instance().find(pointer);
    if (refuses("ipc")) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (!found || found->where != residence::device || found->opened)
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    const int descriptor = fcntl(found->fd, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    const std::lock_guard hold{mutex};
    exports.emplace(found->id, descriptor);
    *handle = to_driver(device_heap::export_handle(*found), descriptor);
    detail = " -> descriptor " + std::to_string(descriptor);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeMemPutIpcHandle(ze_context_handle_t, ze_ipc_mem_handle_t handle) {
  int descriptor = -1;
  const heap_handle known = from_driver(handle, descriptor);
  return traced("zeMemPutIpcHandle", std::to_string(descriptor), [&](std::string&) {
    const std::lock_guard hold{mutex};
    const auto [first, last] = exports.equal_range(known.id);
    for (auto e = first; e != last; ++e)
      if (e->second == descriptor) {
        close(descriptor);
        exports.erase(e);
        return ZE_RESULT_SUCCESS;
      }
    fault("a handle put back that was not exported", std::to_string(descriptor));
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  });
}

ze_result_t zeMemOpenIpcHandle(ze_context_handle_t, ze_device_handle_t device,
                               ze_ipc_mem_handle_t handle, ze_ipc_memory_flags_t, void** base) {
  int descriptor = -1;
  const heap_handle known = from_driver(handle, descriptor);
  return traced("zeMemOpenIpcHandle", std::to_string(descriptor), [&](std::string& detail) {
    if (refuses("ipc")) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    if (known.process != getpid() && !names(descriptor, known)) {
      fault("a handle opened with a descriptor of another process", std::to_string(descriptor));
      return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    const ze_result_t result =
        result_of(device_heap::instance().open(known, ordinal_of(device), base));
    if (result == ZE_RESULT_SUCCESS) detail = " -> " + text_of(*base);
    return result;
  });
}

ze_result_t zeMemCloseIpcHandle(ze_context_handle_t, const void* base) {
  return traced("zeMemCloseIpcHandle", text_of(base), [&](std::string&) {
    return result_of(device_heap::instance().close(const_cast<void*>(base)));
  });
}

}  // extern "C"
