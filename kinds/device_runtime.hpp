// One vendor's memory behind one interface: what a kind of device memory can do on this machine.
// The folder of the kind implements it (kinds/cuda, kinds/rocm, kinds/level_zero). The vendor's
// library is loaded at the first use and never linked; a machine without it lacks the kind and
// nothing else.
//
// Pointers are the vendor's unified addresses: one pointer names one byte, wherever it lies. Every
// function may be called from any thread, whatever device or context that thread has made current,
// and leaves that as it was.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kinds/atomic_task.hpp"
#include "kinds/process_identity.hpp"
#include "kinds/registry.hpp"
#include "kinds/stream_calls.hpp"
#include "kinds/time_limit.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {

// The classification of a pointer that is a runtime's.
struct device_allocation {
  vendor whose = vendor::cuda;
  residence where = residence::device;
  int device = 0;  // ordinal; of managed memory and host memory: the one it was made with, or 0
  std::byte* base = nullptr;  // of the whole allocation
  std::uint64_t bytes = 0;    // of the whole allocation
  std::uint64_t id = 0;       // never given to another allocation of this process
};

// A device among all of the machine: processes count those that they see. Zeros: not known.
using device_identity = std::array<std::byte, 16>;

// Names an allocation for other processes of the node. Plain bytes, to be sent to them.
struct ipc_ticket {
  std::array<std::byte, 64> handle{};
  std::uint64_t offset = 0;  // of the exported pointer in the allocation
  process_identity process;  // the exporter
  std::int32_t device = 0;   // as the exporter counts
  device_identity on{};      // the same device
};

struct copy_piece {
  void* to = nullptr;
  const void* from = nullptr;
  std::size_t bytes = 0;
};

class device_runtime {
 public:
  virtual ~device_runtime() = default;

  [[nodiscard]] virtual vendor whose() const noexcept = 0;
  [[nodiscard]] virtual int devices() const noexcept = 0;
  // "NVIDIA H200, compute capability 9.0"
  [[nodiscard]] virtual std::string describe(int device) const = 0;
  // The calling thread's current device; nothing when it has set none.
  [[nodiscard]] virtual std::optional<int> current_device() const noexcept = 0;

  // --- What it cannot do: empty when it can, else the reason -------------------------------------
  [[nodiscard]] virtual std::string lacks(residence) const = 0;
  [[nodiscard]] virtual std::string lacks_ipc(int device, residence) const = 0;
  [[nodiscard]] virtual std::string lacks_atomics(int device) const = 0;
  // Whether kernels of `device` may reach memory of `other`.
  [[nodiscard]] virtual std::string lacks_peer_access(int device, int other) const = 0;
  // Whether atomics of system scope by kernels of `device` are atomic with all others on what
  // `open` makes of the ticket,
  [[nodiscard]] virtual std::string lacks_link_atomics(int device, const ipc_ticket&) const = 0;
  // and with those of processors on memory of residence host or managed.
  [[nodiscard]] virtual std::string lacks_host_atomics(int device, residence) const = 0;

  // --- Memory -----------------------------------------------------------------------------------
  // Returns zeroed memory. Device memory is taken in multiples of 2 MiB, so that exporting it
  // exposes nothing else. Throws no_mem, unsupported_kind, or arg for a device that does not exist.
  virtual std::byte* allocate(int device, residence, std::size_t bytes) = 0;
  // Waits for nothing. REQUIRES: all uses of the memory have finished.
  virtual void free(void* base) noexcept = 0;
  // Returns nothing when the pointer is not the runtime's: pageable memory, or another vendor's.
  [[nodiscard]] virtual std::optional<device_allocation> classify(const void*) const noexcept = 0;
  // Returns the allocation's id alone, where that is cheaper; 0 when not the runtime's.
  [[nodiscard]] virtual std::uint64_t allocation_id(const void* pointer) const noexcept {
    const auto found = classify(pointer);
    return found ? found->id : 0;
  }
  // Makes memory of the host reachable for every device, by `device`: no other one is taken into
  // use for it. Throws no_mem, unsupported_kind, or arg.
  virtual void pin(int device, void* memory, std::size_t bytes) = 0;
  virtual void unpin(void* memory) noexcept = 0;

  // --- Copies: any residence, and pageable memory, on either side --------------------------------
  // Complete on return; visible to kernels that start afterwards and to other processes.
  virtual errc copy(void* to, const void* from, std::size_t bytes) noexcept = 0;
  // Zeroes memory of a device, by the device; complete as a copy.
  virtual errc clear(void* memory, std::size_t bytes) noexcept = 0;
  // Begins copies, those to one device's memory in order, and those from it; sources and sinks
  // belong to the copies until `drain`.
  virtual errc begin(std::span<const copy_piece>) noexcept = 0;
  // Blocks until every copy and atomic that this process began before is complete.
  virtual errc drain() noexcept = 0;

  // --- Between processes of one node (throws on failure) -----------------------------------------
  virtual ipc_ticket export_memory(void* pointer) = 0;
  // Returns where the exporter's pointer is in this process. Throws arg for the process's own
  // tickets, which vendors refuse, rma_shared where the memory cannot be opened from here. Several
  // opens of one allocation are counted.
  virtual std::byte* open(const ipc_ticket&, int my_device) = 0;
  virtual void close(const ipc_ticket&, std::byte* opened) noexcept = 0;

  // --- Atomics ----------------------------------------------------------------------------------
  // On memory of `device` or of a peer mapped there, of system scope: atomic with those of kernels
  // and of other processes. Complete, with its results, on return. Returns errc::op and errc::type
  // for tasks that no kernel does; timed_out when kernels of others have left the device no room
  // for as long as it says: then nothing has been updated and nothing will be, but of tasks of
  // several elements, of which some may have been.
  virtual errc apply(int device, const atomic_task&, time_limit::length at_most) noexcept = 0;
  errc apply(int device, const atomic_task& task) noexcept { return apply(device, task, {}); }

  // What streams of the program take from the host; null for a vendor that has no streams.
  [[nodiscard]] virtual stream_calls* streams() noexcept { return nullptr; }

  // The vendor's words for the calling thread's last failure: "cuMemAlloc: out of memory".
  [[nodiscard]] virtual std::string last_failure() const = 0;
};

// The runtime of a vendor, loaded and initialized at the first call; null when that fails, and then
// `why_absent` gives the reason. Both return the same for the life of the process.
device_runtime* runtime(vendor) noexcept;
std::string why_absent(vendor);
// Whether any has been loaded by now, and the vendor's if it has. Neither loads one.
[[nodiscard]] bool any_runtime_loaded() noexcept;
[[nodiscard]] device_runtime* loaded(vendor) noexcept;

// What the folder of a kind defines for the registry, as `load_<name>`. A null runtime comes with
// the reason. May throw, which counts as a null runtime too.
struct loaded_runtime {
  std::unique_ptr<device_runtime> made;
  std::string why_absent;
};
#define ORIEL_DEVICE_KIND(kind, managed, needed) loaded_runtime load_##kind();
#include "kinds/device_kinds.inc"
#undef ORIEL_DEVICE_KIND

}  // namespace oriel::kinds
