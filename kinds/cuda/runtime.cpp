// The kind `cuda`: memory of CUDA, by the driver's API, as gpu_runtime uses it
// (kinds/gpu/runtime.hpp). Contexts are the primary ones, which the CUDA runtime's API uses too; a
// device's is made at its first use here.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinds/cuda/devices.hpp"
#include "kinds/cuda/kernels.hpp"
#include "kinds/gpu/runtime.hpp"

namespace oriel::kinds {
namespace {

CUdeviceptr address(const void* p) {
  return reinterpret_cast<CUdeviceptr>(p);
}

// CUDA's addresses are integers.
void* address(CUdeviceptr of) noexcept {
  return reinterpret_cast<void*>(of);  // NOLINT(performance-no-int-to-ptr)
}

class cuda_api : public cuda_devices {
 public:
  static constexpr vendor whose = vendor::cuda;
  static constexpr const char* title = "CUDA";
  static constexpr const char* compiler = "nvcc";
  static constexpr unsigned warp = 32;
  static constexpr bool lends_streams = true;
  static constexpr bool of_device(residence where) noexcept { return where != residence::host; }

  using context = CUcontext;
  using stream = CUstream;
  using function = CUfunction;
  using handle = CUipcMemHandle;

  // Makes a context the calling thread's for as long as the object lives. A thread that has it
  // already, as one that uses the CUDA runtime's API mostly has, pays one query.
  class current {
   public:
    current(const cuda_api& api, CUcontext wanted) noexcept : cuda_(api.cuda_) {
      CUcontext now = nullptr;
      had_ = cuda_.context_get_current(&now) == CUDA_SUCCESS && now == wanted;
      if (!had_) pushed_ = !cuda_.failed("cuCtxPushCurrent", cuda_.context_push(wanted));
    }
    ~current() {
      if (CUcontext popped = nullptr; pushed_) cuda_.context_pop(&popped);
    }
    current(const current&) = delete;
    current& operator=(const current&) = delete;
    [[nodiscard]] bool ok() const noexcept { return pushed_ || had_; }

   private:
    const cuda_library& cuda_;
    bool had_ = false;
    bool pushed_ = false;
  };

  [[nodiscard]] std::string lacks_handle(const device_allocation& found,
                                         const void* pointer) const {
    // CUDA carves allocations below this out of blocks that they share.
    constexpr std::size_t smallest_exported = std::size_t{2} << 20;
    unsigned exportable = 0;
    if (cuda_.pointer_get_attribute(&exportable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                    address(pointer)) == CUDA_SUCCESS &&
        exportable == 0)
      return "CUDA has no handle of this device memory for other processes: it was mapped with "
             "cuMemMap, comes from a pool (cudaMallocAsync), or is another process's";
    if (found.bytes >= smallest_exported) return {};
    return "the allocation has " + std::to_string(found.bytes) +
           " bytes; CUDA keeps those below 2 MiB in blocks with others, which a handle would "
           "show to other processes too";
  }

  bool make_context(int device, CUcontext* made) const noexcept {
    return !cuda_.failed("cuDevicePrimaryCtxRetain",
                         cuda_.primary_context_retain(made, at(device)));
  }

  bool make_stream(CUstream* made) const noexcept {
    return !cuda_.failed("cuStreamCreate", cuda_.stream_create(made, CU_STREAM_NON_BLOCKING));
  }

  bool copy(void* to, const void* from, std::size_t bytes, CUstream by) const noexcept {
    return !cuda_.failed("cuMemcpyAsync", cuda_.copy_async(address(to), address(from), bytes, by));
  }

  bool clear(void* memory, std::size_t bytes, CUstream by) const noexcept {
    return !cuda_.failed("cuMemsetD8Async", cuda_.set_async(address(memory), 0, bytes, by));
  }

  bool wait(CUstream for_this) const noexcept {
    return !cuda_.failed("cuStreamSynchronize", cuda_.stream_synchronize(for_this));
  }

  bool is_done(CUstream stream, bool& done) const noexcept {
    const CUresult found = cuda_.stream_query(stream);
    done = found == CUDA_SUCCESS;
    return found == CUDA_ERROR_NOT_READY || !cuda_.failed("cuStreamQuery", found);
  }

  // Each in a line of the cache of its own.
  bool make_words(std::size_t n, std::vector<std::uint64_t*>& words) const noexcept {
    void* memory = nullptr;
    const bool made = allocate(residence::host, n * word_stride, &memory);
    for (std::size_t i = 0; made && i < n; ++i)
      words.push_back(
          reinterpret_cast<std::uint64_t*>(static_cast<std::byte*>(memory) + i * word_stride));
    return made;
  }
  void free_words(std::span<std::uint64_t* const> words) const noexcept {
    if (!words.empty()) free(residence::host, words.front());
  }
  void exchange_capture_mode(int& mode) const noexcept {
    static_assert(CU_STREAM_CAPTURE_MODE_RELAXED == stream_calls::relaxed);
    auto exchanged = static_cast<CUstreamCaptureMode>(mode);
    if (cuda_.exchange_capture_mode != nullptr &&
        cuda_.exchange_capture_mode(&exchanged) == CUDA_SUCCESS)
      mode = exchanged;
  }
  bool call_host(CUstream on, void (*function)(void*), void* argument) const noexcept {
    return !cuda_.failed("cuLaunchHostFunc", cuda_.launch_host_function(on, function, argument));
  }
  bool wait_for_word(CUstream on, std::uint64_t* word, std::uint64_t value) const noexcept {
    return !cuda_.failed("cuStreamWaitValue64", cuda_.stream_wait_value(on, address(word), value,
                                                                        CU_STREAM_WAIT_VALUE_GEQ));
  }
  bool is_captured(CUstream stream, bool& captured) const noexcept {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (cuda_.failed("cuStreamIsCapturing", cuda_.stream_is_capturing(stream, &status)))
      return false;
    captured = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return true;
  }

  bool allocate(residence where, std::size_t bytes, void** made) const noexcept {
    if (where == residence::host)
      return !cuda_.failed(
          "cuMemHostAlloc",
          cuda_.allocate_host(made, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    CUdeviceptr memory = 0;
    const bool failed =
        where == residence::device
            ? cuda_.failed("cuMemAlloc", cuda_.allocate(&memory, bytes))
            : cuda_.failed("cuMemAllocManaged",
                           cuda_.allocate_managed(&memory, bytes, CU_MEM_ATTACH_GLOBAL));
    if (!failed) *made = address(memory);
    return !failed;
  }

  void free(residence where, void* base) const noexcept {
    if (where == residence::host)
      cuda_.failed("cuMemFreeHost", cuda_.free_host(base));
    else
      cuda_.failed("cuMemFree", cuda_.free(address(base)));
  }

  bool pin(void* memory, std::size_t bytes) const noexcept {
    return !cuda_.failed(
        "cuMemHostRegister",
        cuda_.host_register(memory, bytes,
                            CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP));
  }

  void unpin(void* memory) const noexcept {
    cuda_.failed("cuMemHostUnregister", cuda_.host_unregister(memory));
  }

  // For memory that is not CUDA's the driver returns zeros, or, before any context has been made,
  // an error.
  [[nodiscard]] std::optional<device_allocation> classify(const void* pointer) const noexcept {
    unsigned type = 0;
    unsigned managed = 0;
    int device = 0;
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    unsigned long long id = 0;
    CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
        CU_POINTER_ATTRIBUTE_RANGE_SIZE,     CU_POINTER_ATTRIBUTE_BUFFER_ID};
    void* answers[] = {&type, &managed, &device, &base, &bytes, &id};
    if (cuda_.pointer_get_attributes(std::size(attributes), attributes, answers,
                                     address(pointer)) != CUDA_SUCCESS ||
        type == 0)
      return std::nullopt;
    device_allocation found;
    found.whose = whose;
    found.where = residence::device;
    if (managed != 0)
      found.where = residence::managed;  // whose type is "device"
    else if (type == CU_MEMORYTYPE_HOST)
      found.where = residence::host;
    found.device = exists(device) ? device : 0;
    found.base = static_cast<std::byte*>(address(base));
    found.bytes = bytes;
    found.id = id;
    return found;
  }

  [[nodiscard]] std::optional<pointer_place> place(const void* pointer) const noexcept {
    const auto found = classify(pointer);
    if (!found) return std::nullopt;
    return pointer_place{found->where, found->device};
  }

  [[nodiscard]] std::uint64_t allocation_id(const void* pointer) const noexcept {
    unsigned long long id = 0;
    const bool ours = cuda_.pointer_get_attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                                  address(pointer)) == CUDA_SUCCESS;
    return ours ? id : 0;
  }

  bool export_memory(const device_allocation&, const void* pointer, CUipcMemHandle* made,
                     std::uint64_t* offset) const noexcept {
    CUdeviceptr base = 0;
    std::size_t bytes = 0;
    if (cuda_.failed("cuMemGetAddressRange",
                     cuda_.get_address_range(&base, &bytes, address(pointer))) ||
        cuda_.failed("cuIpcGetMemHandle", cuda_.ipc_get_handle(made, base)))
      return false;
    *offset = address(pointer) - base;
    return true;
  }

  bool open(const CUipcMemHandle& given, void** base) const noexcept {
    CUdeviceptr opened = 0;
    if (cuda_.failed("cuIpcOpenMemHandle",
                     cuda_.ipc_open_handle(&opened, given, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)))
      return false;
    *base = address(opened);
    return true;
  }

  void close(void* base) const noexcept {
    cuda_.failed("cuIpcCloseMemHandle", cuda_.ipc_close_handle(address(base)));
  }

  static const void* kernels() noexcept { return cuda_kernels().data(); }
  bool load_kernel(int, CUfunction* kernel) const noexcept {
    CUmodule module = nullptr;
    return !cuda_.failed("cuModuleLoadData", cuda_.module_load_data(&module, kernels())) &&
           !cuda_.failed("cuModuleGetFunction",
                         cuda_.module_get_function(kernel, module, atomic_kernel));
  }

  bool launch(CUfunction kernel, const kernel_shape& shape, atomic_task* task,
              CUstream by) const noexcept {
    void* parameters[] = {task};
    return !cuda_.failed("cuLaunchKernel",
                         cuda_.launch_kernel(kernel, shape.blocks, 1, 1, shape.threads, 1, 1, 0, by,
                                             parameters, nullptr));
  }

  [[nodiscard]] bool in_use(int device) const noexcept {
    unsigned flags = 0;
    int active = 0;
    return cuda_.primary_context_state(at(device), &flags, &active) != CUDA_SUCCESS || active != 0;
  }

  bool enable_peer(int, CUcontext other) const noexcept {
    const CUresult r = cuda_.enable_peer_access(other, 0);
    return r == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED || !cuda_.failed("cuCtxEnablePeerAccess", r);
  }

 private:
  static constexpr std::size_t word_stride = 64;
};

}  // namespace

loaded_runtime load_cuda() {
  return load_gpu_runtime<cuda_api>();
}

}  // namespace oriel::kinds
