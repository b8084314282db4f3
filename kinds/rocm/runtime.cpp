// The kind `rocm`: memory of HIP.
//
// Identity of allocations: HIP's buffer ids, where pointers have them. Memory without one (some
// kinds of registered memory) gets a new id from every query: never another's, and never cached.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>
#include <vector>

#include "kinds/counted_opens.hpp"
#include "kinds/rocm/device.hpp"
#include "kinds/rocm/library.hpp"

namespace oriel::kinds {
namespace {

struct mapping {
  std::byte* base = nullptr;
};

hipDeviceptr_t as_device_pointer(const void* pointer) noexcept {
  return (hipDeviceptr_t)pointer;  // an integer on NVIDIA, a pointer on AMD
}

class rocm_runtime final : public device_runtime {
 public:
  rocm_runtime(const rocm_library& library, int devices, int version)
      : hip_(library), version_(version) {
    for (int device = 0; device < devices; ++device)
      devices_.push_back(std::make_unique<rocm_device>(hip_, device));
  }

  [[nodiscard]] vendor whose() const noexcept override { return vendor::rocm; }
  [[nodiscard]] int devices() const noexcept override { return static_cast<int>(devices_.size()); }
  [[nodiscard]] std::string describe(int device) const override;
  // HIP does not tell a thread that chose device 0 from one that has not chosen.
  [[nodiscard]] std::optional<int> current_device() const noexcept override {
    int device = 0;
    if (hip_.failed("hipGetDevice", hip_.get_device(&device))) return std::nullopt;
    return device;
  }

  [[nodiscard]] std::string lacks(residence) const override;
  [[nodiscard]] std::string lacks_ipc(int device, residence) const override;
  [[nodiscard]] std::string lacks_atomics(int device) const override {
    if (std::string why = lacks_device(device); !why.empty()) return why;
    const on_device current{hip_, device};
    return current.ok() ? of(device).atomics.lacks() : last_failure();
  }
  [[nodiscard]] std::string lacks_peer_access(int device, int other) const override;

  std::byte* allocate(int device, residence, std::size_t bytes) override;
  void free(void* base) noexcept override;
  [[nodiscard]] std::optional<device_allocation> classify(const void*) const noexcept override;
  [[nodiscard]] std::uint64_t allocation_id(const void*) const noexcept override;
  void pin(void* memory, std::size_t bytes) override;
  void unpin(void* memory) noexcept override {
    hip_.failed("hipHostUnregister", hip_.unregister_host(memory));
  }

  errc copy(void* to, const void* from, std::size_t bytes) noexcept override;
  errc begin(std::span<const copy_piece>) noexcept override;
  errc drain() noexcept override;

  ipc_ticket export_memory(void* pointer) override;
  std::byte* open(const ipc_ticket&, int my_device) override;
  void close(const ipc_ticket&, std::byte* opened) noexcept override;

  errc apply(int device, const atomic_task&) noexcept override;
  [[nodiscard]] std::string last_failure() const override { return hip_.last_failure(); }

 private:
  [[nodiscard]] rocm_device& of(int device) const {
    return *devices_[static_cast<std::size_t>(device)];
  }
  // Empty for a device that there is.
  [[nodiscard]] std::string lacks_device(int device) const;
  // Where the pointer is, or nothing. The cheaper half of `classify`.
  [[nodiscard]] std::optional<std::pair<residence, int>> place(const void*) const noexcept;
  [[nodiscard]] way way_to(int device, const void*, std::size_t width) const noexcept;
  [[nodiscard]] rocm_device& copying(const void* to, const void* from) const noexcept;

  rocm_library hip_;
  int version_;
  mutable std::vector<std::unique_ptr<rocm_device>> devices_;
  mutable std::atomic<std::uint64_t> made_ids_{std::uint64_t{1} << 63};  // beyond HIP's own
  counted_opens<mapping> opened_;
};

std::string rocm_runtime::describe(int device) const {
  char name[256] = "";
  if (hip_.failed("hipDeviceGetName", hip_.device_name(name, sizeof name, device)) ||
      name[0] == '\0')
    std::strcpy(name, "unnamed device");
  return std::string(name) + ", HIP " + std::to_string(version_ / 10'000'000) + "." +
         std::to_string(version_ / 100'000 % 100);
}

std::string rocm_runtime::lacks_device(int device) const {
  if (device >= 0 && device < devices()) return {};
  return "there is no device " + std::to_string(device) + " among HIP's " +
         std::to_string(devices());
}

std::string rocm_runtime::lacks(residence where) const {
  if (where != residence::managed) return {};
  for (int device = 0; device < devices(); ++device) {
    int managed = 0;
    if (hip_.failed("hipDeviceGetAttribute",
                    hip_.device_attribute(&managed, hipDeviceAttributeManagedMemory, device)))
      return last_failure();
    if (managed == 0) return "device " + std::to_string(device) + " has no managed memory";
  }
  return {};
}

std::string rocm_runtime::lacks_ipc(int device, residence where) const {
  if (std::string why = lacks_device(device); !why.empty()) return why;
  if (where != residence::device) return "HIP exports memory of devices only";
  return of(device).lacks_ipc();
}

std::string rocm_runtime::lacks_peer_access(int device, int other) const {
  if (std::string why = lacks_device(device) + lacks_device(other); !why.empty()) return why;
  return of(device).reach(other);
}

std::byte* rocm_runtime::allocate(int device, residence where, std::size_t bytes) {
  if (const std::string why = lacks_device(device); !why.empty()) throw error(errc::arg, why);
  if (const std::string why = lacks(where); !why.empty()) throw error(errc::unsupported_kind, why);
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  const std::size_t whole = where == residence::device ? (size + rocm_granularity - 1) /
                                                             rocm_granularity * rocm_granularity
                                                       : size;
  const on_device current{hip_, device};
  void* made = nullptr;
  bool failed = !current.ok() || whole < bytes;
  if (!failed && where == residence::device)
    failed = hip_.failed("hipMalloc", hip_.allocate_device(&made, whole)) ||
             hip_.failed("hipMemsetAsync", hip_.set_async(made, 0, whole, of(device).stream())) ||
             hip_.failed("hipStreamSynchronize", hip_.synchronize_stream(of(device).stream()));
  else if (!failed && where == residence::host)
    failed =
        hip_.failed("hipHostMalloc",
                    hip_.allocate_host(&made, whole, hipHostMallocPortable | hipHostMallocMapped));
  else if (!failed)
    failed =
        hip_.failed("hipMallocManaged", hip_.allocate_managed(&made, whole, hipMemAttachGlobal));
  if (failed) {
    const std::string why = last_failure();
    if (made != nullptr) hip_.failed("hipFree", hip_.free_device(made));
    throw error(errc::no_mem, "HIP gave no " + std::to_string(bytes) + " bytes of " +
                                  std::string(name(vendor::rocm, where)) + " memory on device " +
                                  std::to_string(device) + " (" + why + ").");
  }
  if (where != residence::device) std::memset(made, 0, whole);
  return static_cast<std::byte*>(made);
}

void rocm_runtime::free(void* base) noexcept {
  const auto found = place(base);
  if (found && found->first == residence::host)
    hip_.failed("hipHostFree", hip_.free_host(base));
  else
    hip_.failed("hipFree", hip_.free_device(base));
}

// The attributes of HIP 5 and 6 are laid out alike. What HIP 5 calls `memoryType` is `type` in
// HIP 6, with other values: so the first word is read, and understood by the version that runs.
std::optional<std::pair<residence, int>> rocm_runtime::place(const void* pointer) const noexcept {
  static_assert(offsetof(hipPointerAttribute_t, device) == sizeof(int));
  hipPointerAttribute_t found{};
  // Not a failure: it is how HIP says that memory is not its own.
  if (hip_.pointer_attributes(&found, pointer) != hipSuccess) {
    (void)hip_.last_error();
    return std::nullopt;
  }
  int type = 0;
  std::memcpy(&type, &found, sizeof type);
  const int host = version_ >= 60'000'000 ? 1 : 0;  // then device, then HIP 6 has managed
  if (found.isManaged != 0 || (host == 1 && type == host + 2))
    return std::pair{residence::managed, found.device};
  if (type == host) return std::pair{residence::host, found.device};
  if (type == host + 1) return std::pair{residence::device, found.device};
  return std::nullopt;
}

std::optional<device_allocation> rocm_runtime::classify(const void* pointer) const noexcept {
  const auto where = place(pointer);
  if (!where) return std::nullopt;
  device_allocation found{vendor::rocm, where->first, where->second, nullptr, 0, 0};
  hipDeviceptr_t base{};
  if (hip_.address_range(&base, &found.bytes, as_device_pointer(pointer)) == hipSuccess &&
      base != hipDeviceptr_t{}) {
    found.base = (std::byte*)base;
  } else {  // of registered memory HIP may not tell the extent: then this byte is what is known
    (void)hip_.last_error();
    found.base = static_cast<std::byte*>(const_cast<void*>(pointer));
    found.bytes = 1;
  }
  found.id = allocation_id(pointer);
  return found;
}

std::uint64_t rocm_runtime::allocation_id(const void* pointer) const noexcept {
  std::uint64_t id = 0;
  if (hip_.pointer_attribute(&id, HIP_POINTER_ATTRIBUTE_BUFFER_ID, as_device_pointer(pointer)) ==
          hipSuccess &&
      id != 0)
    return id;
  (void)hip_.last_error();
  return place(pointer) ? made_ids_.fetch_add(1, std::memory_order_relaxed) : 0;
}

void rocm_runtime::pin(void* memory, std::size_t bytes) {
  if (hip_.failed(
          "hipHostRegister",
          hip_.register_host(memory, bytes, hipHostRegisterPortable | hipHostRegisterMapped)))
    throw error(errc::no_mem,
                "HIP could not pin " + std::to_string(bytes) + " bytes (" + last_failure() + ").");
}

// Which device makes a copy: that of the sink, so that copies to one place stay in order, else that
// of the source. A device that has no part in the copy would hand it to a stream of another, for
// which nobody waits.
rocm_device& rocm_runtime::copying(const void* to, const void* from) const noexcept {
  if (devices_.size() == 1) return *devices_[0];
  const auto sink = place(to);
  const auto found = sink && sink->first == residence::device ? sink : place(from);
  const bool of_device = found && found->first == residence::device;
  return *devices_[of_device ? static_cast<std::size_t>(found->second) : 0];
}

errc rocm_runtime::copy(void* to, const void* from, std::size_t bytes) noexcept {
  return bytes == 0 ? errc::success : copying(to, from).copy(to, from, bytes);
}

errc rocm_runtime::begin(std::span<const copy_piece> pieces) noexcept {
  for (const copy_piece& p : pieces) {
    if (p.bytes == 0) continue;
    if (const errc e = copying(p.to, p.from).begin(p.to, p.from, p.bytes); e != errc::success)
      return e;
  }
  return errc::success;
}

errc rocm_runtime::drain() noexcept {
  errc worst = errc::success;
  for (const auto& device : devices_)
    if (const errc e = device->drain(); e != errc::success) worst = e;
  return worst;
}

ipc_ticket rocm_runtime::export_memory(void* pointer) {
  const auto found = classify(pointer);
  if (!found || found->where != residence::device)
    throw error(errc::rma_shared, "HIP exports memory of devices only.");
  static_assert(sizeof(hipIpcMemHandle_t) == sizeof(ipc_ticket::handle));
  hipIpcMemHandle_t handle{};
  const on_device current{hip_, found->device};
  if (!current.ok() || hip_.failed("hipIpcGetMemHandle", hip_.ipc_export(&handle, found->base)))
    throw error(errc::rma_shared, "HIP could not export memory of device " +
                                      std::to_string(found->device) + " (" + last_failure() + ").");
  ipc_ticket ticket;
  std::memcpy(ticket.handle.data(), &handle, sizeof handle);
  ticket.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - found->base);
  ticket.process = getpid();
  ticket.device = found->device;
  return ticket;
}

std::byte* rocm_runtime::open(const ipc_ticket& ticket, int my_device) {
  if (ticket.process == getpid())
    throw error(errc::arg, "Memory of the calling process needs no opening.");
  if (const std::string why = lacks_device(my_device); !why.empty()) throw error(errc::arg, why);
  return opened_.open(ticket, [&] {
    const on_device current{hip_, my_device};
    hipIpcMemHandle_t handle{};
    std::memcpy(&handle, ticket.handle.data(), sizeof handle);
    void* base = nullptr;
    if (!current.ok() || hip_.failed("hipIpcOpenMemHandle",
                                     hip_.ipc_open(&base, handle, hipIpcMemLazyEnablePeerAccess)))
      throw error(errc::rma_shared,
                  "Device " + std::to_string(my_device) + " could not open memory of device " +
                      std::to_string(ticket.device) + " of process " +
                      std::to_string(ticket.process) + " (" + last_failure() + ").");
    return mapping{static_cast<std::byte*>(base)};
  });
}

void rocm_runtime::close(const ipc_ticket& ticket, std::byte*) noexcept {
  opened_.close(ticket, [this](const mapping& last) {
    hip_.failed("hipIpcCloseMemHandle", hip_.ipc_close(last.base));
  });
}

// Kernels load elements whole, so what is misaligned goes through the block too; so does memory of
// another device, which kernels may not reach.
way rocm_runtime::way_to(int device, const void* pointer, std::size_t width) const noexcept {
  if (pointer == nullptr) return way::direct;
  const auto found = place(pointer);
  if (!found) return way::through_host;
  const bool aligned = reinterpret_cast<std::uintptr_t>(pointer) % width == 0;
  const bool reachable = found->first != residence::device || found->second == device;
  return aligned && reachable ? way::direct : way::through_copy;
}

errc rocm_runtime::apply(int device, const atomic_task& task) noexcept {
  const bool swaps = task.action == atomic_action::compare_swap;
  const bool width = task.width == 1 || task.width == 2 || task.width == 4 || task.width == 8;
  if (!width || (!swaps && (task.type < primitive::byte || task.type > primitive::float64)))
    return errc::type;
  if (!swaps && !kernels_apply(task.op, task.type)) return errc::op;
  if (task.n == 0) return errc::success;
  // A misaligned access would be the end of all of the process's work on the device.
  if (reinterpret_cast<std::uintptr_t>(task.location) % task.width != 0) return errc::arg;
  try {
    if (!lacks_atomics(device).empty()) return errc::unsupported_kind;
    const auto where = place(task.location);
    if (where && where->first == residence::device && !of(device).reach(where->second).empty())
      return errc::system;
  } catch (...) {
    return errc::no_mem;
  }
  const on_device current{hip_, device};
  if (!current.ok()) return errc::system;
  const bool unused = !swaps && task.op == atomic_op::no_op;
  return of(device).atomics.apply(task, of(device).stream(),
                                  unused ? way::direct : way_to(device, task.operands, task.width),
                                  way_to(device, task.results, task.width), *this);
}

}  // namespace

loaded_runtime load_rocm() {
  rocm_library library;
  if (std::string why = load(library); !why.empty()) return {nullptr, std::move(why)};
  int devices = 0;
  int version = 0;
  if (library.failed("hipGetDeviceCount", library.device_count(&devices)) ||
      library.failed("hipRuntimeGetVersion", library.runtime_version(&version)))
    return {nullptr, library.last_failure()};
  if (devices == 0) return {nullptr, "HIP finds no device"};
#if defined(__HIP_PLATFORM_NVIDIA__)
  version = HIP_VERSION;  // CUDA's own version says nothing of the header over it
#endif
  return {std::make_unique<rocm_runtime>(library, devices, version), {}};
}

}  // namespace oriel::kinds
