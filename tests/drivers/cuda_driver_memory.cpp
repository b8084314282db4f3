// The CUDA test driver's memory: allocations, attributes of pointers, copies, handles for other
// processes.
#include <cstring>
#include <string>

#include "tests/drivers/cuda_driver.hpp"
#include "tests/drivers/driver_memory.hpp"

namespace oriel::test_driver {
namespace {

constexpr heap_codes<CUresult> result_of{
    .ok = CUDA_SUCCESS,
    .out_of_memory = CUDA_ERROR_OUT_OF_MEMORY,
    .already_opened = CUDA_ERROR_ALREADY_MAPPED,
    .own_handle = CUDA_ERROR_INVALID_CONTEXT,  // as a real driver returns
    .otherwise = CUDA_ERROR_INVALID_VALUE,
};

CUresult allocate(residence where, std::size_t bytes, void** base, std::string& detail) {
  if (captures_forbid_allocations()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return result_of(allocate_fresh(where, current_context()->device, bytes, base, detail));
}

template <class T>
void give(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

// Of memory that is not CUDA's, every attribute is zero, and that is no error.
CUresult give_attribute(CUpointer_attribute attribute, void* to, const heap_allocation& a) {
  const bool known = a.base != nullptr;
  const bool host = known && a.where == residence::host;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      give(to,
           !known ? 0u : static_cast<unsigned>(host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      give(to, static_cast<unsigned>(known && a.where == residence::managed));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      give(to, known ? a.device : -2);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      give(to, a.base);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      give(to, static_cast<std::size_t>(a.bytes));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      give(to, static_cast<unsigned long long>(a.id));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      give(to, static_cast<unsigned>(known && a.where == residence::device && !a.opened &&
                                     !refuses("ipc")));
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace
}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* base, std::size_t bytes) {
  return traced("cuMemAlloc_v2", needs::context, std::to_string(bytes), [&](std::string& detail) {
    void* p = nullptr;
    const CUresult result = allocate(residence::device, bytes, &p, detail);
    if (result == CUDA_SUCCESS) *base = device_pointer(p);
    return result;
  });
}

CUresult cuMemAllocManaged(CUdeviceptr* base, std::size_t bytes, unsigned flags) {
  return traced("cuMemAllocManaged", needs::context, std::to_string(bytes),
                [&](std::string& detail) {
                  if (refuses("managed")) return CUDA_ERROR_NOT_SUPPORTED;
                  if (flags != CU_MEM_ATTACH_GLOBAL) return CUDA_ERROR_INVALID_VALUE;
                  void* p = nullptr;
                  const CUresult result = allocate(residence::managed, bytes, &p, detail);
                  if (result == CUDA_SUCCESS) *base = device_pointer(p);
                  return result;
                });
}

CUresult cuMemHostAlloc(void** base, std::size_t bytes, unsigned) {
  return traced("cuMemHostAlloc", needs::context, std::to_string(bytes), [&](std::string& detail) {
    return allocate(residence::host, bytes, base, detail);
  });
}

CUresult cuMemFree(CUdeviceptr base) {
  return traced("cuMemFree_v2", needs::cuda, text_of(base), [&](std::string&) {
    return result_of(device_heap::instance().free(pointer(base)));
  });
}

CUresult cuMemFreeHost(void* base) {
  return traced("cuMemFreeHost", needs::cuda, text_of(base),
                [&](std::string&) { return result_of(device_heap::instance().free(base)); });
}

CUresult cuMemHostRegister(void* memory, std::size_t bytes, unsigned) {
  return traced("cuMemHostRegister_v2", needs::context,
                text_of(memory) + ", " + std::to_string(bytes), [&](std::string&) {
                  if (captures_forbid_allocations()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
                  const auto status = device_heap::instance().pin(memory, bytes);
                  return status == heap_status::ok ? CUDA_SUCCESS
                                                   : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
                });
}

CUresult cuMemHostUnregister(void* memory) {
  return traced("cuMemHostUnregister", needs::context, text_of(memory), [&](std::string&) {
    const auto status = device_heap::instance().unpin(memory);
    return status == heap_status::ok ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  });
}

CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute* attributes, void** data,
                                CUdeviceptr p) {
  return traced("cuPointerGetAttributes", needs::cuda, text_of(p), [&](std::string&) {
    const auto found = find_any(pointer(p)).value_or(heap_allocation{});
    for (unsigned i = 0; i < n; ++i)
      if (const CUresult r = give_attribute(attributes[i], data[i], found); r != CUDA_SUCCESS)
        return r;
    return CUDA_SUCCESS;
  });
}

// Unlike the plural, an error for memory that is not CUDA's.
CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr p) {
  return traced("cuPointerGetAttribute", needs::cuda, text_of(p), [&](std::string&) {
    const auto found = find_any(pointer(p));
    return found ? give_attribute(attribute, data, *found) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr p) {
  return traced("cuMemGetAddressRange_v2", needs::context, text_of(p), [&](std::string&) {
    const auto found = device_heap::instance().find(pointer(p));
    if (!found) return CUDA_ERROR_NOT_FOUND;
    if (base != nullptr) *base = device_pointer(found->base);
    if (bytes != nullptr) *bytes = found->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  const std::string arguments = text_of(to) + ", " + text_of(from) + ", " + std::to_string(bytes);
  return traced("cuMemcpyAsync", needs::context, arguments, [&](std::string&) {
    if (stream != nullptr && stream->context != current_context()) return CUDA_ERROR_INVALID_HANDLE;
    next_of(stream).begin([=] { return copy_bytes(pointer(to), pointer(from), bytes); });
    return CUDA_SUCCESS;
  });
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream stream) {
  return traced("cuMemsetD8Async", needs::context, text_of(to) + ", " + std::to_string(bytes),
                [&](std::string&) {
                  next_of(stream).begin([=] { return fill_bytes(pointer(to), value, bytes); });
                  return CUDA_SUCCESS;
                });
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr p) {
  return traced("cuIpcGetMemHandle", needs::context, text_of(p), [&](std::string&) {
    const auto found = device_heap::instance().find(pointer(p));
    if (refuses("ipc")) return CUDA_ERROR_NOT_SUPPORTED;
    if (!found || found->where != residence::device || found->opened)
      return CUDA_ERROR_INVALID_VALUE;
    give(handle, device_heap::export_handle(*found));
    return CUDA_SUCCESS;
  });
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* base, CUipcMemHandle handle, unsigned flags) {
  return traced("cuIpcOpenMemHandle_v2", needs::context, std::to_string(flags),
                [&](std::string& detail) {
                  if (refuses("ipc")) return CUDA_ERROR_NOT_SUPPORTED;
                  if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) return CUDA_ERROR_INVALID_VALUE;
                  heap_handle h;
                  std::memcpy(static_cast<void*>(&h), &handle, sizeof h);
                  void* p = nullptr;
                  const CUresult result =
                      result_of(device_heap::instance().open(h, current_context()->device, &p));
                  if (result != CUDA_SUCCESS) return result;
                  *base = device_pointer(p);
                  detail = " -> " + text_of(p);
                  return CUDA_SUCCESS;
                });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr base) {
  return traced("cuIpcCloseMemHandle", needs::context, text_of(base), [&](std::string&) {
    return result_of(device_heap::instance().close(pointer(base)));
  });
}

}  // extern "C"
