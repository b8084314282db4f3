// The kind `rocm`: memory of HIP, as gpu_runtime uses it (kinds/gpu/runtime.hpp). A device is made
// current by its number; HIP makes its context.
//
// Identity of allocations: HIP's buffer ids, where pointers have them. Memory without one (some
// kinds of registered memory) gets a new id from every query: never another's, and never cached.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kinds/gpu/runtime.hpp"
#include "kinds/rocm/devices.hpp"
#include "kinds/rocm/kernels.hpp"

namespace oriel::kinds {
namespace {

hipDeviceptr_t as_device_pointer(const void* pointer) noexcept {
  return (hipDeviceptr_t)pointer;  // an integer on NVIDIA, a pointer on AMD
}

class rocm_api : public rocm_devices {
 public:
  static constexpr vendor whose = vendor::rocm;
  static constexpr const char* title = "HIP";
  static constexpr const char* compiler = "hipcc";
  static constexpr unsigned warp = 64;
  // A device that has no part in a copy would pass it to a stream of another, for which no call
  // waits.
  static constexpr bool lends_streams = false;
  static constexpr bool of_device(residence where) noexcept { return where == residence::device; }

  using context = int;  // the device's number
  using stream = hipStream_t;
  using function = hipFunction_t;
  using handle = hipIpcMemHandle_t;

  // Makes a device the thread's current one, and then the former one again.
  class current {
   public:
    current(const rocm_api& api, int device) noexcept : hip_(api.hip_) {
      int now = 0;
      if (hip_.failed("hipGetDevice", hip_.get_device(&now))) return;
      ok_ = now == device || !hip_.failed("hipSetDevice", hip_.set_device(device));
      if (ok_ && now != device) before_ = now;
    }
    ~current() {
      if (before_ >= 0) hip_.failed("hipSetDevice", hip_.set_device(before_));
    }
    current(const current&) = delete;
    current& operator=(const current&) = delete;
    [[nodiscard]] bool ok() const noexcept { return ok_; }

   private:
    const rocm_library& hip_;
    int before_ = -1;
    bool ok_ = false;
  };

  std::string load() {
    std::string why = rocm_devices::load();
    if (why.empty()) trials_.reset(new trials[static_cast<std::size_t>(devices())]);
    return why;
  }

  // HIP has no attribute for this, so a little memory is exported as a trial. The result is kept,
  // unless there was no memory for the trial.
  [[nodiscard]] std::string lacks_handles(int device) const {
    trials& t = at(device);
    const std::lock_guard hold(t.lock);
    if (t.lacks_handles) return *t.lacks_handles;
    const current here(*this, device);
    void* trial = nullptr;
    if (!here.ok() || !allocate(residence::device, std::size_t{2} << 20, &trial))
      return last_failure();
    hipIpcMemHandle_t made{};
    const bool refused = hip_.failed("hipIpcGetMemHandle", hip_.ipc_export(&made, trial));
    t.lacks_handles = refused ? last_failure() : std::string();
    hip_.failed("hipFree", hip_.free_device(trial));
    return *t.lacks_handles;
  }

  // Loads them: HIP has no query whether they are for this device.
  [[nodiscard]] std::string lacks_kernels(int device) const {
    const current here(*this, device);
    hipFunction_t kernel = nullptr;
    return here.ok() && load_kernel(device, &kernel) ? std::string() : last_failure();
  }

  // Enables the access, which kernels of the program use too.
  [[nodiscard]] std::string lacks_peer_access(int device, int other) const {
    int can = 0;
    if (hip_.failed("hipDeviceCanAccessPeer", hip_.can_access_peer(&can, device, other)))
      return last_failure();
    if (can == 0)
      return "HIP's device " + std::to_string(device) + " does not reach the memory of device " +
             std::to_string(other);
    const current here(*this, device);
    return here.ok() && enable_peer(device, other) ? std::string() : last_failure();
  }

  [[nodiscard]] static std::string lacks_handle(const device_allocation&, const void*) {
    return {};
  }

  static bool make_context(int device, int* made) noexcept {
    *made = device;
    return true;
  }

  // Else the default stream: it waits for the program's, and is as correct.
  bool make_stream(hipStream_t* made) const noexcept {
    if (hip_.failed("hipStreamCreateWithFlags", hip_.create_stream(made, hipStreamNonBlocking)))
      *made = nullptr;
    return true;
  }

  bool copy(void* to, const void* from, std::size_t bytes, hipStream_t by) const noexcept {
    return !hip_.failed("hipMemcpyAsync", hip_.copy_async(to, from, bytes, hipMemcpyDefault, by));
  }

  bool clear(void* memory, std::size_t bytes, hipStream_t by) const noexcept {
    return !hip_.failed("hipMemsetAsync", hip_.set_async(memory, 0, bytes, by));
  }

  bool wait(hipStream_t for_this) const noexcept {
    return !hip_.failed("hipStreamSynchronize", hip_.synchronize_stream(for_this));
  }

  bool is_done(hipStream_t stream, bool& done) const noexcept {
    const hipError_t found = hip_.query_stream(stream);
    done = found == hipSuccess;
    if (found != hipErrorNotReady) return !hip_.failed("hipStreamQuery", found);
    (void)hip_.last_error();
    return true;
  }

  // HIP's streams wait for memory of signals alone, of which an allocation has 8 bytes.
  bool make_words(std::size_t n, std::vector<std::uint64_t*>& words) const noexcept {
    constexpr unsigned signal = 2;  // hipMallocSignalMemory
    void* memory = nullptr;
    while (words.size() != n &&
           !hip_.failed("hipExtMallocWithFlags",
                        hip_.allocate_with_flags(&memory, sizeof(std::uint64_t), signal)))
      words.push_back(static_cast<std::uint64_t*>(memory));
    if (words.size() == n) return true;
    free_words(words);
    return false;
  }
  void free_words(std::span<std::uint64_t* const> words) const noexcept {
    for (std::uint64_t* const word : words) hip_.failed("hipFree", hip_.free_device(word));
  }
  void exchange_capture_mode(int& mode) const noexcept {
    static_assert(hipStreamCaptureModeRelaxed == stream_calls::relaxed);
    auto exchanged = static_cast<hipStreamCaptureMode>(mode);
    if (hip_.exchange_capture_mode != nullptr &&
        hip_.exchange_capture_mode(&exchanged) == hipSuccess)
      mode = exchanged;
  }
  bool call_host(hipStream_t on, void (*function)(void*), void* argument) const noexcept {
    return !hip_.failed("hipLaunchHostFunc", hip_.launch_host_function(on, function, argument));
  }
  bool wait_for_word(hipStream_t on, std::uint64_t* word, std::uint64_t value) const noexcept {
    constexpr unsigned at_least = 0;  // hipStreamWaitValueGte
    return !hip_.failed("hipStreamWaitValue64",
                        hip_.stream_wait_value(on, word, value, at_least, ~std::uint64_t{0}));
  }
  bool is_captured(hipStream_t stream, bool& captured) const noexcept {
    hipStreamCaptureStatus status{};
    if (hip_.failed("hipStreamIsCapturing", hip_.stream_is_capturing(stream, &status)))
      return false;
    captured = status != hipStreamCaptureStatusNone;
    return true;
  }

  // Fine-grained and coherent: other devices and processors see what kernels store while they run,
  // and atomics of system scope are atomic with theirs. HIP over CUDA has no other memory.
  bool allocate(residence where, std::size_t bytes, void** made) const noexcept {
    constexpr unsigned fine_grained = 1;  // hipDeviceMallocFinegrained
    if (where == residence::device && hip_.allocate_with_flags != nullptr)
      return !hip_.failed("hipExtMallocWithFlags",
                          hip_.allocate_with_flags(made, bytes, fine_grained));
    if (where == residence::device)
      return !hip_.failed("hipMalloc", hip_.allocate_device(made, bytes));
    if (where == residence::managed)
      return !hip_.failed("hipMallocManaged",
                          hip_.allocate_managed(made, bytes, hipMemAttachGlobal));
    return !hip_.failed(
        "hipHostMalloc",
        hip_.allocate_host(made, bytes,
                           hipHostMallocPortable | hipHostMallocMapped | hipHostMallocCoherent));
  }

  void free(residence where, void* base) const noexcept {
    if (where == residence::host)
      hip_.failed("hipHostFree", hip_.free_host(base));
    else
      hip_.failed("hipFree", hip_.free_device(base));
  }

  bool pin(void* memory, std::size_t bytes) const noexcept {
    return !hip_.failed(
        "hipHostRegister",
        hip_.register_host(memory, bytes, hipHostRegisterPortable | hipHostRegisterMapped));
  }

  void unpin(void* memory) const noexcept {
    hip_.failed("hipHostUnregister", hip_.unregister_host(memory));
  }

  [[nodiscard]] std::optional<device_allocation> classify(const void* pointer) const noexcept {
    const auto where = place(pointer);
    if (!where) return std::nullopt;
    device_allocation found{whose, where->where, where->device, nullptr, 0, 0};
    hipDeviceptr_t base{};
    if (hip_.address_range(&base, &found.bytes, as_device_pointer(pointer)) == hipSuccess &&
        base != hipDeviceptr_t{}) {
      found.base = (std::byte*)base;
    } else {  // HIP may not return the extent of registered memory: then it is taken for one byte
      (void)hip_.last_error();
      found.base = static_cast<std::byte*>(const_cast<void*>(pointer));
      found.bytes = 1;
    }
    found.id = allocation_id(pointer);
    return found;
  }

  // The attributes of HIP 5 and 6 are laid out alike. What HIP 5 calls `memoryType` is `type` in
  // HIP 6, with other values: so the first word is read, and understood by the version that runs.
  [[nodiscard]] std::optional<pointer_place> place(const void* pointer) const noexcept {
    static_assert(offsetof(hipPointerAttribute_t, device) == sizeof(int));
    hipPointerAttribute_t found{};
    // Not a failure: HIP returns it for memory that is not its own.
    if (hip_.pointer_attributes(&found, pointer) != hipSuccess) {
      (void)hip_.last_error();
      return std::nullopt;
    }
    int type = 0;
    std::memcpy(&type, &found, sizeof type);
    const int host = version_ >= 60'000'000 ? 1 : 0;  // then device, then HIP 6 has managed
    if (found.isManaged != 0 || (host == 1 && type == host + 2))
      return pointer_place{residence::managed, found.device};
    if (type == host) return pointer_place{residence::host, found.device};
    if (type == host + 1) return pointer_place{residence::device, found.device};
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t allocation_id(const void* pointer) const noexcept {
    std::uint64_t id = 0;
    if (hip_.pointer_attribute(&id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, as_device_pointer(pointer)) ==
            hipSuccess &&
        id != 0)
      return id;
    (void)hip_.last_error();
    return place(pointer) ? made_ids_.fetch_add(1, std::memory_order_relaxed) : 0;
  }

  bool export_memory(const device_allocation& found, const void* pointer, hipIpcMemHandle_t* made,
                     std::uint64_t* offset) const noexcept {
    *offset = static_cast<std::uint64_t>(static_cast<const std::byte*>(pointer) - found.base);
    return !hip_.failed("hipIpcGetMemHandle", hip_.ipc_export(made, found.base));
  }

  bool open(const hipIpcMemHandle_t& given, void** base) const noexcept {
    return !hip_.failed("hipIpcOpenMemHandle",
                        hip_.ipc_open(base, given, hipIpcMemLazyEnablePeerAccess));
  }

  void close(void* base) const noexcept {
    hip_.failed("hipIpcCloseMemHandle", hip_.ipc_close(base));
  }

  static const void* kernels() noexcept { return rocm_kernels(); }
  bool load_kernel(int device, hipFunction_t* kernel) const noexcept {
    trials& t = at(device);
    const std::lock_guard hold(t.lock);
    hipModule_t module = nullptr;
    hipFunction_t found = nullptr;
    if (t.kernel == nullptr) {
      if (hip_.failed("hipModuleLoadData", hip_.load_module(&module, kernels())) ||
          hip_.failed("hipModuleGetFunction", hip_.module_function(&found, module, atomic_kernel)))
        return false;
      t.kernel = found;
    }
    *kernel = t.kernel;
    return true;
  }

  bool launch(hipFunction_t kernel, const kernel_shape& shape, atomic_task* task,
              hipStream_t by) const noexcept {
    void* arguments[] = {task};
    return !hip_.failed(
        "hipModuleLaunchKernel",
        hip_.launch(kernel, shape.blocks, 1, 1, shape.threads, 1, 1, 0, by, arguments, nullptr));
  }

  [[nodiscard]] static bool in_use(int) noexcept { return true; }
  bool enable_peer(int, int other) const noexcept {
    const hipError_t enabled = hip_.enable_peer_access(other, 0);
    return !hip_.failed("hipDeviceEnablePeerAccess", enabled) ||
           enabled == hipErrorPeerAccessAlreadyEnabled;
  }

 private:
  // What shows only when it is tried, once it has been.
  struct trials {
    std::mutex lock;
    std::optional<std::string> lacks_handles;
    hipFunction_t kernel = nullptr;
  };
  [[nodiscard]] trials& at(int device) const noexcept {
    return trials_[static_cast<std::size_t>(device)];
  }

  std::unique_ptr<trials[]> trials_;
  mutable std::atomic<std::uint64_t> made_ids_{std::uint64_t{1} << 63};  // beyond HIP's own
};

}  // namespace

loaded_runtime load_rocm() {
  return load_gpu_runtime<rocm_api>();
}

}  // namespace oriel::kinds
