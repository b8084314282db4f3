// The kind `level_zero`: memory of the first Level Zero driver that has a GPU, in a context of
// oriel's own. A pointer belongs to a driver's context, so a second driver's devices could not be
// copied to or from the first's; Intel's driver for GPUs shows all of them.
//
// A handle for another process names a file descriptor in its first bytes, which `open` takes over
// from the exporter. The descriptor that an export makes lives as long as the allocation.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "kinds/counted_opens.hpp"
#include "kinds/device_runtime.hpp"
#include "kinds/level_zero/atomics.hpp"
#include "kinds/level_zero/device.hpp"
#include "kinds/level_zero/foreign_descriptor.hpp"

namespace oriel::kinds {
namespace {

constexpr std::size_t granularity = std::size_t{2} << 20;

struct mapping {
  std::byte* base = nullptr;
  foreign_descriptor descriptor;  // closed after the mapping is
};

struct exported {
  std::uint64_t id = 0;  // of the allocation that had this base then
  ze_ipc_mem_handle_t handle{};
};

class level_zero_runtime final : public device_runtime {
 public:
  level_zero_runtime(const level_zero_library& library, ze_driver_handle_t driver,
                     ze_context_handle_t context, std::span<const ze_device_handle_t> devices)
      : ze_(library), driver_(driver), context_(context) {
    for (ze_device_handle_t device : devices) {
      devices_.push_back(std::make_unique<level_zero_device>(ze_, context_, device));
      atomics_.push_back(
          std::make_unique<level_zero_atomics>(ze_, driver_, context_, *devices_.back()));
    }
  }

  [[nodiscard]] vendor whose() const noexcept override { return vendor::level_zero; }
  [[nodiscard]] int devices() const noexcept override { return static_cast<int>(devices_.size()); }
  [[nodiscard]] std::string describe(int device) const override { return of(device).name(); }
  // Level Zero has no such notion: every call names its device.
  [[nodiscard]] std::optional<int> current_device() const noexcept override { return std::nullopt; }

  [[nodiscard]] std::string lacks(residence) const override;
  [[nodiscard]] std::string lacks_ipc(int device, residence) const override;
  [[nodiscard]] std::string lacks_atomics(int device) const override {
    std::string why = lacks_device(device);
    return why.empty() ? atomics_[static_cast<std::size_t>(device)]->lacks() : why;
  }
  [[nodiscard]] std::string lacks_peer_access(int device, int other) const override;
  [[nodiscard]] std::string lacks_link_atomics(int device, const ipc_ticket&) const override;
  [[nodiscard]] std::string lacks_host_atomics(int device, residence) const override;

  std::byte* allocate(int device, residence, std::size_t bytes) override;
  void free(void* base) noexcept override;
  [[nodiscard]] std::optional<device_allocation> classify(const void*) const noexcept override;
  [[nodiscard]] std::uint64_t allocation_id(const void* pointer) const noexcept override {
    const auto known = place(pointer);
    return known ? known->id : 0;
  }
  void pin(int device, void* memory, std::size_t bytes) override;
  void unpin(void* memory) noexcept override {
    if (ze_.release_host != nullptr)
      ze_.failed("zexDriverReleaseImportedPointer", ze_.release_host(driver_, memory));
  }

  errc copy(void* to, const void* from, std::size_t bytes) noexcept override {
    return bytes == 0 ? errc::success : copying(to, from).copy(to, from, bytes);
  }
  errc clear(void* memory, std::size_t bytes) noexcept override {
    return bytes == 0 ? errc::success : copying(memory, memory).clear(memory, bytes);
  }
  errc begin(std::span<const copy_piece>) noexcept override;
  errc drain() noexcept override;

  ipc_ticket export_memory(void* pointer) override;
  std::byte* open(const ipc_ticket&, int my_device) override;
  void close(const ipc_ticket&, std::byte* opened) noexcept override;

  // Its lists have kernels that have ended when they return: a limit would not be kept.
  errc apply(int device, const atomic_task& task, time_limit::length) noexcept override {
    if (device < 0 || device >= devices()) return errc::unsupported_kind;
    return atomics_[static_cast<std::size_t>(device)]->apply(*this, task);
  }
  [[nodiscard]] std::string last_failure() const override { return ze_.last_failure(); }

 private:
  struct identity {
    residence where;
    int device;
    std::uint64_t id;
  };
  [[nodiscard]] level_zero_device& of(int device) const {
    return *devices_[static_cast<std::size_t>(device)];
  }
  // Empty for a device that there is.
  [[nodiscard]] std::string lacks_device(int device) const;
  // What the pointer is, or nothing. The cheaper half of `classify`.
  [[nodiscard]] std::optional<identity> place(const void*) const noexcept;
  [[nodiscard]] level_zero_device& copying(const void* to, const void* from) const noexcept;
  void put(const ze_ipc_mem_handle_t& handle) const noexcept {
    if (ze_.ipc_put != nullptr) ze_.failed("zeMemPutIpcHandle", ze_.ipc_put(context_, handle));
  }

  level_zero_library ze_;
  ze_driver_handle_t driver_;
  ze_context_handle_t context_;
  std::vector<std::unique_ptr<level_zero_device>> devices_;
  std::vector<std::unique_ptr<level_zero_atomics>> atomics_;  // of the devices, in their order
  std::mutex exports_lock_;
  std::map<std::byte*, exported> exports_;  // by the allocation's base
  counted_opens<mapping> opened_;
};

std::string level_zero_runtime::lacks_device(int device) const {
  if (device >= 0 && device < devices()) return {};
  return "there is no device " + std::to_string(device) + " among Level Zero's " +
         std::to_string(devices());
}

std::string level_zero_runtime::lacks(residence where) const {
  for (int device = 0; device < devices(); ++device) {
    const auto can = of(device).access_to(where);
    if (!can) return last_failure();
    if ((*can & ZE_MEMORY_ACCESS_CAP_FLAG_RW) == 0)
      return "device " + std::to_string(device) + " does not access " +
             std::string(name(vendor::level_zero, where)) + " memory";
  }
  return {};
}

// Level Zero has no attribute for this, so a little memory is exported as a trial.
std::string level_zero_runtime::lacks_ipc(int device, residence where) const {
  if (std::string why = lacks_device(device); !why.empty()) return why;
  if (where != residence::device) return "Level Zero exports memory of devices only";
  if (std::string why = foreign_descriptor::unavailable(); !why.empty()) return why;
  void* const trial = of(device).allocate(where, granularity);
  if (trial == nullptr) return last_failure();
  ze_ipc_mem_handle_t handle{};
  const bool failed = ze_.failed("zeMemGetIpcHandle", ze_.ipc_export(context_, trial, &handle));
  std::string why = failed ? last_failure() : std::string();
  if (!failed) put(handle);
  ze_.failed("zeMemFree", ze_.free_memory(context_, trial));
  return why;
}

std::string level_zero_runtime::lacks_peer_access(int device, int other) const {
  if (std::string why = lacks_device(device) + lacks_device(other); !why.empty()) return why;
  if (device == other) return {};
  ze_bool_t can = 0;
  if (ze_.failed("zeDeviceCanAccessPeer",
                 ze_.can_access_peer(of(device).handle(), of(other).handle(), &can)))
    return last_failure();
  if (can != 0) return {};
  return "device " + std::to_string(device) + " cannot reach memory of device " +
         std::to_string(other);
}

std::string level_zero_runtime::lacks_link_atomics(int device, const ipc_ticket& ticket) const {
  if (std::string why = lacks_device(device); !why.empty()) return why;
  for (int other = 0; ticket.on != device_identity{} && other < devices(); ++other) {
    if (of(other).identity() != ticket.on) continue;
    if (other == device || of(device).updates(of(other))) return {};
    return "Level Zero has no atomics over the link from device " + std::to_string(device) +
           " to device " + std::to_string(other);
  }
  return "device " + std::to_string(device) +
         " and the memory's, which this process does not "
         "see, may have no atomics between them";
}

std::string level_zero_runtime::lacks_host_atomics(int device, residence where) const {
  if (std::string why = lacks_device(device); !why.empty()) return why;
  const auto can = of(device).access_to(where);
  if (!can) return last_failure();
  if ((*can & ZE_MEMORY_ACCESS_CAP_FLAG_CONCURRENT_ATOMIC) != 0) return {};
  return "device " + std::to_string(device) + " has no atomics on " +
         std::string(name(vendor::level_zero, where)) + " memory beside the host's";
}

std::byte* level_zero_runtime::allocate(int device, residence where, std::size_t bytes) {
  if (const std::string why = lacks_device(device); !why.empty()) throw error(errc::arg, why);
  if (const std::string why = lacks(where); !why.empty()) throw error(errc::unsupported_kind, why);
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  const std::size_t whole =
      where == residence::device ? (size + granularity - 1) / granularity * granularity : size;
  level_zero_device& home = of(device);
  void* const made = whole < bytes ? nullptr : home.allocate(where, whole);
  if (made == nullptr || (where == residence::device && home.clear(made, whole) != errc::success)) {
    const std::string why = last_failure();
    if (made != nullptr) free(made);
    throw error(errc::no_mem, "Level Zero gave no " + std::to_string(bytes) + " bytes of " +
                                  std::string(name(vendor::level_zero, where)) +
                                  " memory on device " + std::to_string(device) + " (" + why +
                                  ").");
  }
  if (where != residence::device) std::memset(made, 0, whole);
  return static_cast<std::byte*>(made);
}

void level_zero_runtime::free(void* base) noexcept {
  {
    const std::lock_guard hold{exports_lock_};
    const auto found = exports_.find(static_cast<std::byte*>(base));
    if (found != exports_.end()) {
      put(found->second.handle);
      exports_.erase(found);
    }
  }
  ze_.failed("zeMemFree", ze_.free_memory(context_, base));
}

std::optional<level_zero_runtime::identity> level_zero_runtime::place(
    const void* pointer) const noexcept {
  ze_memory_allocation_properties_t found{};
  found.stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES;
  ze_device_handle_t handle = nullptr;
  // Some drivers return an error for memory that is not their own.
  if (ze_.allocation_properties(context_, pointer, &found, &handle) != ZE_RESULT_SUCCESS ||
      found.type == ZE_MEMORY_TYPE_UNKNOWN)
    return std::nullopt;
  const residence where = found.type == ZE_MEMORY_TYPE_HOST     ? residence::host
                          : found.type == ZE_MEMORY_TYPE_DEVICE ? residence::device
                                                                : residence::managed;
  int device = 0;
  for (int d = 0; d < devices(); ++d)
    if (devices_[static_cast<std::size_t>(d)]->is(handle)) device = d;
  return identity{where, device, found.id};
}

std::optional<device_allocation> level_zero_runtime::classify(const void* pointer) const noexcept {
  const auto known = place(pointer);
  void* base = nullptr;
  std::size_t bytes = 0;
  if (!known || ze_.address_range(context_, pointer, &base, &bytes) != ZE_RESULT_SUCCESS)
    return std::nullopt;
  return device_allocation{
      vendor::level_zero, known->where, known->device, static_cast<std::byte*>(base), bytes,
      known->id};
}

void level_zero_runtime::pin(int, void* memory, std::size_t bytes) {
  if (ze_.import_host == nullptr || ze_.release_host == nullptr)
    throw error(errc::unsupported_kind, "The Level Zero driver cannot pin memory of the host.");
  if (ze_.failed("zexDriverImportExternalPointer", ze_.import_host(driver_, memory, bytes)))
    throw error(errc::no_mem, "Level Zero could not pin " + std::to_string(bytes) + " bytes (" +
                                  last_failure() + ").");
}

// Which device makes a copy: that of the sink, so that copies to one place stay in order, else that
// of the source.
level_zero_device& level_zero_runtime::copying(const void* to, const void* from) const noexcept {
  if (devices_.size() == 1) return *devices_[0];
  const auto sink = place(to);
  const auto found = sink && sink->where == residence::device ? sink : place(from);
  return *devices_[found ? static_cast<std::size_t>(found->device) : 0];
}

errc level_zero_runtime::begin(std::span<const copy_piece> pieces) noexcept {
  for (const copy_piece& p : pieces) {
    if (p.bytes == 0) continue;
    if (const errc e = copying(p.to, p.from).begin(p.to, p.from, p.bytes); e != errc::success)
      return e;
  }
  return errc::success;
}

errc level_zero_runtime::drain() noexcept {
  errc worst = errc::success;
  for (const auto& device : devices_)
    if (const errc e = device->drain(); e != errc::success) worst = e;
  return worst;
}

ipc_ticket level_zero_runtime::export_memory(void* pointer) {
  const auto found = classify(pointer);
  if (!found || found->where != residence::device)
    throw error(errc::rma_shared, "Level Zero exports memory of devices only.");
  static_assert(sizeof(ze_ipc_mem_handle_t) == sizeof(ipc_ticket::handle));
  const std::lock_guard hold{exports_lock_};
  exported& known = exports_[found->base];
  if (known.id != found->id) {
    exported fresh{found->id, {}};
    if (ze_.failed("zeMemGetIpcHandle", ze_.ipc_export(context_, found->base, &fresh.handle))) {
      exports_.erase(found->base);
      throw error(errc::rma_shared, "Level Zero could not export memory of device " +
                                        std::to_string(found->device) + " (" + last_failure() +
                                        ").");
    }
    known = fresh;
  }
  ipc_ticket ticket;
  std::memcpy(ticket.handle.data(), &known.handle, sizeof known.handle);
  ticket.offset = static_cast<std::uint64_t>(static_cast<std::byte*>(pointer) - found->base);
  ticket.process = this_process();
  ticket.device = found->device;
  ticket.on = of(found->device).identity();
  return ticket;
}

std::byte* level_zero_runtime::open(const ipc_ticket& ticket, int my_device) {
  if (ticket.process == this_process())
    throw error(errc::arg, "Memory of the calling process needs no opening.");
  if (const std::string why = lacks_device(my_device); !why.empty()) throw error(errc::arg, why);
  if (ticket.process.numbered_in != this_process().numbered_in)
    throw error(errc::rma_shared,
                "The exporter is in another namespace of processes, where its descriptors cannot "
                "be taken from.");
  return opened_.open(ticket, [&] {
    int number = -1;
    std::memcpy(&number, ticket.handle.data(), sizeof number);
    foreign_descriptor descriptor{ticket.process.number, number};
    number = descriptor.number();
    ze_ipc_mem_handle_t handle{};
    std::memcpy(&handle, ticket.handle.data(), sizeof handle);
    std::memcpy(&handle, &number, sizeof number);
    void* base = nullptr;
    if (ze_.failed("zeMemOpenIpcHandle",
                   ze_.ipc_open(context_, of(my_device).handle(), handle, 0, &base)))
      throw error(errc::rma_shared,
                  "Device " + std::to_string(my_device) + " could not open memory of device " +
                      std::to_string(ticket.device) + " of process " +
                      std::to_string(ticket.process.number) + " (" + last_failure() + ").");
    return mapping{static_cast<std::byte*>(base), std::move(descriptor)};
  });
}

void level_zero_runtime::close(const ipc_ticket& ticket, std::byte*) noexcept {
  opened_.close(ticket, [this](const mapping& last) {
    ze_.failed("zeMemCloseIpcHandle", ze_.ipc_close(context_, last.base));
  });
}

// The handles of everything that `get` counts and lists.
template <class Handle, class Get>
std::vector<Handle> list(Get&& get) {
  std::uint32_t n = 0;
  if (!get(&n, nullptr) || n == 0) return {};
  std::vector<Handle> found(n);
  if (!get(&n, found.data())) return {};
  found.resize(n);
  return found;
}

}  // namespace

loaded_runtime load_level_zero() {
  level_zero_library ze;
  if (std::string why = ze.load(); !why.empty()) return {nullptr, std::move(why)};
  if (ze.failed("zeInit", ze.init(ZE_INIT_FLAG_GPU_ONLY))) return {nullptr, ze.last_failure()};
  const auto drivers = list<ze_driver_handle_t>([&](std::uint32_t* n, ze_driver_handle_t* to) {
    return !ze.failed("zeDriverGet", ze.drivers(n, to));
  });
  for (ze_driver_handle_t driver : drivers) {
    auto devices = list<ze_device_handle_t>([&](std::uint32_t* n, ze_device_handle_t* to) {
      return !ze.failed("zeDeviceGet", ze.devices(driver, n, to));
    });
    std::erase_if(devices, [&](ze_device_handle_t device) {
      ze_device_properties_t properties{};
      properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
      return ze.failed("zeDeviceGetProperties", ze.device_properties(device, &properties)) ||
             properties.type != ZE_DEVICE_TYPE_GPU;
    });
    if (devices.empty()) continue;
    ze_context_desc_t description{};
    description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
    ze_context_handle_t context = nullptr;
    if (ze.failed("zeContextCreate", ze.create_context(driver, &description, &context)))
      return {nullptr, ze.last_failure()};
    const auto extension = [&](auto& member, const char* name) {
      void* found = nullptr;
      if (ze.extension(driver, name, &found) == ZE_RESULT_SUCCESS)
        member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(found);
    };
    extension(ze.import_host, "zexDriverImportExternalPointer");
    extension(ze.release_host, "zexDriverReleaseImportedPointer");
    return {std::make_unique<level_zero_runtime>(ze, driver, context, devices), {}};
  }
  return {nullptr, "no Level Zero driver has a GPU"};
}

}  // namespace oriel::kinds
