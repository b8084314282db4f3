// The kind `cuda`: its devices and memory. Copies are in cuda_transfer.cpp.
#include <algorithm>
#include <cstring>

#include "kinds/cuda/kernels.hpp"
#include "kinds/cuda/runtime.hpp"

namespace oriel::kinds {
namespace {

// CUDA carves smaller allocations out of blocks of this size, and a handle shows the whole block.
constexpr std::size_t granularity = std::size_t{2} << 20;

CUdeviceptr address(const void* p) {
  return reinterpret_cast<CUdeviceptr>(p);
}

std::string version(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace

loaded_runtime load_cuda() {
  cuda_library library;
  if (std::string why = library.load(); !why.empty()) return {nullptr, why};
  return {std::make_unique<cuda_runtime>(library), {}};
}

cuda_runtime::cuda_runtime(const cuda_library& library) : library_(library) {
  if (!cuda_device::succeeded("cuDeviceGetCount", library_.device_get_count(&count_)))
    fail(errc::unsupported_kind, "CUDA's devices cannot be counted");
  if (count_ == 0) throw error(errc::unsupported_kind, "the CUDA driver finds no device");
  devices_ = std::make_unique<cuda_device[]>(static_cast<std::size_t>(count_));
  atomics_ = std::make_unique<atomic_state[]>(static_cast<std::size_t>(count_));
  for (int i = 0; i < count_; ++i) {
    CUdevice handle = 0;
    if (!cuda_device::succeeded("cuDeviceGet", library_.device_get(&handle, i)))
      fail(errc::unsupported_kind, "CUDA's device " + std::to_string(i) + " cannot be had");
    devices_[static_cast<std::size_t>(i)].number(library_, handle);
  }
}

void cuda_runtime::fail(errc code, const std::string& what) const {
  throw error(code, what + ": " + last_failure());
}

std::string cuda_runtime::last_failure() const {
  const auto& [call, result] = cuda_device::last_failure();
  return call == nullptr ? std::string() : std::string(call) + ": " + library_.text(result);
}

cuda_device& cuda_runtime::use(int device) const {
  if (!exists(device))
    throw error(errc::arg, "CUDA has " + std::to_string(count_) + " devices and none of number " +
                               std::to_string(device));
  cuda_device& d = devices_[static_cast<std::size_t>(device)];
  if (!d.ready()) fail(errc::system, "CUDA's device " + std::to_string(device) + " cannot be used");
  return d;
}

int cuda_runtime::some_device() const noexcept {
  for (int i = 0; i < count_; ++i)
    if (devices_[static_cast<std::size_t>(i)].used()) return i;
  return current_device().value_or(0);
}

int cuda_runtime::attribute(int device, CUdevice_attribute which) const noexcept {
  int value = 0;
  if (!exists(device)) return 0;
  const CUdevice handle = devices_[static_cast<std::size_t>(device)].handle();
  return library_.device_get_attribute(&value, which, handle) == CUDA_SUCCESS ? value : 0;
}

std::string cuda_runtime::describe(int device) const {
  char name[128] = "unknown device";
  if (exists(device))
    library_.device_get_name(name, sizeof name,
                             devices_[static_cast<std::size_t>(device)].handle());
  return std::string(name) + ", compute capability " +
         std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) + "." +
         std::to_string(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

std::optional<int> cuda_runtime::current_device() const noexcept {
  CUdevice current = 0;
  if (library_.context_get_device(&current) != CUDA_SUCCESS) return std::nullopt;
  for (int i = 0; i < count_; ++i)
    if (devices_[static_cast<std::size_t>(i)].handle() == current) return i;
  return std::nullopt;
}

std::string cuda_runtime::lacks(residence where) const {
  if (where != residence::managed) return {};
  for (int i = 0; i < count_; ++i)
    if (attribute(i, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS) == 0)
      return "CUDA's device " + std::to_string(i) +
             " cannot access managed memory while the host does";
  return {};
}

std::string cuda_runtime::lacks_ipc(int device, residence where) const {
  if (!exists(device)) return "CUDA has no device " + std::to_string(device);
  if (where == residence::device) {
    // Older drivers do not know the attribute, and on Linux they have handles.
    int supported = 1;
    const CUresult r =
        library_.device_get_attribute(&supported, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED,
                                      devices_[static_cast<std::size_t>(device)].handle());
    if (r != CUDA_SUCCESS || supported != 0) return {};
    return "CUDA's device " + std::to_string(device) + " has no handles for other processes";
  }
  return "CUDA has no handle for other processes of " + std::string(name(vendor::cuda, where)) +
         " memory";
}

std::string cuda_runtime::lacks_atomics(int device) const {
  if (!exists(device)) return "CUDA has no device " + std::to_string(device);
  if (cuda_kernels().empty()) return "built without nvcc";
  const int capability = 10 * attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                         attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const std::string which =
      "CUDA's device " + std::to_string(device) + " has compute capability " + version(capability);
  if (capability < 60) return which + "; atomics of system scope need 6.0";
  if (capability < cuda_kernels_oldest)
    return which + "; this build has code for " + version(cuda_kernels_oldest) + " and later";
  return {};
}

std::string cuda_runtime::lacks_peer_access(int device, int other) const {
  if (!exists(device) || !exists(other)) return "CUDA has no such pair of devices";
  if (device == other) return {};
  int can = 0;
  const bool answered = cuda_device::succeeded(
      "cuDeviceCanAccessPeer",
      library_.device_can_access_peer(&can, devices_[static_cast<std::size_t>(device)].handle(),
                                      devices_[static_cast<std::size_t>(other)].handle()));
  if (answered && can != 0) return {};
  return "CUDA's device " + std::to_string(device) + " does not reach the memory of device " +
         std::to_string(other);
}

std::byte* cuda_runtime::allocate(int device, residence where, std::size_t bytes) {
  if (const std::string why = lacks(where); !why.empty()) throw error(errc::unsupported_kind, why);
  cuda_device& d = use(device);
  const cuda_context_guard current(library_, d.context());
  const std::size_t whole =
      (std::max<std::size_t>(bytes, 1) + granularity - 1) & ~(granularity - 1);
  CUdeviceptr memory = 0;
  void* of_host = nullptr;
  bool had = false;
  if (where == residence::device)
    had = cuda_device::succeeded("cuMemAlloc", library_.allocate(&memory, whole));
  else if (where == residence::managed)
    had = cuda_device::succeeded("cuMemAllocManaged",
                                 library_.allocate_managed(&memory, whole, CU_MEM_ATTACH_GLOBAL));
  else
    had = cuda_device::succeeded(
        "cuMemHostAlloc",
        library_.allocate_host(&of_host, std::max<std::size_t>(bytes, 1),
                               CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
  if (!had)
    fail(errc::no_mem, std::to_string(bytes) + " bytes of " +
                           std::string(name(vendor::cuda, where)) + " memory of CUDA's device " +
                           std::to_string(device) + " cannot be had");
  if (where == residence::host) {
    std::memset(of_host, 0, bytes);
    return static_cast<std::byte*>(of_host);
  }
  const bool zeroed =
      cuda_device::succeeded("cuMemsetD8Async", library_.set_async(memory, 0, whole, d.stream())) &&
      d.wait();
  if (!zeroed) {
    library_.free(memory);
    fail(errc::system, "new memory of CUDA's device " + std::to_string(device) + " is not zeroed");
  }
  return reinterpret_cast<std::byte*>(memory);
}

void cuda_runtime::free(void* base) noexcept {
  const auto found = classify(base);
  cuda_device& d = devices_[static_cast<std::size_t>(found ? found->device : some_device())];
  if (!d.ready()) return;
  const cuda_context_guard current(library_, d.context());
  // Memory that is not known goes to the driver too, which then tells what is wrong with it.
  if (found && found->where == residence::host)
    cuda_device::succeeded("cuMemFreeHost", library_.free_host(base));
  else
    cuda_device::succeeded("cuMemFree", library_.free(address(base)));
}

// Of memory that is not CUDA's the driver answers with zeros, or, before anything has been made,
// with an error; both mean that it is not ours.
std::optional<device_allocation> cuda_runtime::classify(const void* pointer) const noexcept {
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
  if (library_.pointer_get_attributes(std::size(attributes), attributes, answers,
                                      address(pointer)) != CUDA_SUCCESS ||
      type == 0)
    return std::nullopt;
  device_allocation found;
  found.where = residence::device;
  if (managed != 0)
    found.where = residence::managed;  // whose type is "device"
  else if (type == CU_MEMORYTYPE_HOST)
    found.where = residence::host;
  found.device = exists(device) ? device : 0;
  found.base = reinterpret_cast<std::byte*>(base);
  found.bytes = bytes;
  found.id = id;
  return found;
}

std::uint64_t cuda_runtime::allocation_id(const void* pointer) const noexcept {
  unsigned long long id = 0;
  const bool ours = library_.pointer_get_attribute(&id, CU_POINTER_ATTRIBUTE_BUFFER_ID,
                                                   address(pointer)) == CUDA_SUCCESS;
  return ours ? id : 0;
}

void cuda_runtime::pin(void* memory, std::size_t bytes) {
  cuda_device& d = use(some_device());
  const cuda_context_guard current(library_, d.context());
  const CUresult r = library_.host_register(
      memory, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
  if (!cuda_device::succeeded("cuMemHostRegister", r))
    fail(errc::no_mem, std::to_string(bytes) + " bytes of the host's memory cannot be pinned");
}

void cuda_runtime::unpin(void* memory) noexcept {
  cuda_device& d = devices_[static_cast<std::size_t>(some_device())];
  if (!d.ready()) return;
  const cuda_context_guard current(library_, d.context());
  cuda_device::succeeded("cuMemHostUnregister", library_.host_unregister(memory));
}

}  // namespace oriel::kinds
