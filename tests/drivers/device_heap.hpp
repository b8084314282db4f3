// The memory of emulated devices. A device pointer is a range of addresses that the process can
// neither load nor store, so that a library that touches it dies of a segmentation fault; the
// driver reaches the same pages through an alias of its own. Memory of residence host and managed
// is readable and writable at the pointer itself.
//
// Every allocation takes slots of 2 MiB of one reserved range, the lowest that are free: memory
// that is allocated after a free of the same size comes back at the same address, as real drivers
// do. The pages are a memfd's; another process opens them through /proc/PID/fd, and nothing is left
// behind in /dev/shm.
//
// Broken rules are written to the ledger (tests/drivers/ledger.hpp) as they are seen, and what is
// left at the end of the process by report_leaks. Any thread. After a fork the child's heap is
// dead.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "kinds/device_runtime.hpp"

namespace oriel::test_driver {

using kinds::residence;

enum class heap_status {
  ok,
  out_of_memory,
  unknown,         // no allocation begins there, or the pointer was not opened
  already_opened,  // by this process, and not yet closed
  own_handle,      // handles are for other processes
  stale_handle,    // the exporter has freed it, or is gone
};

// What another process needs to open an allocation. 64 bytes, as all vendors have.
struct heap_handle {
  std::uint64_t magic = 0;
  std::uint64_t id = 0;
  std::uint64_t bytes = 0;
  std::int32_t process = 0;
  std::int32_t fd = 0;
  std::int32_t device = 0;
  std::uint32_t reserved[7] = {};
};
static_assert(sizeof(heap_handle) == 64);

struct shared_header;  // the page behind an allocation's own, seen by every process that opened it

struct heap_allocation {
  std::byte* base = nullptr;   // what the program is given
  std::byte* alias = nullptr;  // where the driver reaches it; `base` itself unless residence device
  std::uint64_t bytes = 0;     // as requested
  std::uint64_t mapped = 0;    // whole slots
  residence where = residence::device;
  int device = 0;        // as a driver reports it: of what is opened, the one it was opened for
  int home = 0;          // the machine's device that has the pages
  std::uint64_t id = 0;  // of this process, never given twice
  int fd = -1;
  bool opened = false;  // another process's
  bool of_module = false;
  shared_header* header = nullptr;
};

// Whether updates of the memory by kernels on the process's `device` are atomic with all others.
bool updates_are_atomic(const heap_allocation&, int device);

class device_heap {
 public:
  static device_heap& instance();

  heap_status allocate(residence, int device, std::uint64_t bytes, void** base);
  heap_status free(void* base);
  // It is a module's variables', which last as long as the process where nobody unloads it.
  void leave_to_the_end(void* base);
  // The allocation that `pointer` lies in.
  [[nodiscard]] std::optional<heap_allocation> find(const void* pointer) const;

  // Where the driver may access `bytes` at `pointer`: memory that it did not allocate is accessed
  // as it is. Null after a fault: freed or closed memory, or bytes past the end.
  std::byte* reach(const void* pointer, std::uint64_t bytes, const char* why);
  // The same for kernels, which do not reach memory of the host that was neither allocated here nor
  // pinned.
  std::byte* reach_by_kernel(const void* pointer, std::uint64_t bytes);
  // The same for updates by those on `device`, which has to be atomic with all others there.
  std::byte* update_by_kernel(int device, void* pointer, std::uint64_t bytes);

  // Between the two, the process is a device whose kernels run: its threads load and store device
  // memory at the pointer itself. Counted.
  void enter_kernel();
  void leave_kernel();

  // Of an allocation of residence device or host.
  static heap_handle export_handle(const heap_allocation&);
  heap_status open(const heap_handle&, int device, void** base);
  heap_status close(void* base);

  // Memory of the host that devices reach. `find` does not find it.
  heap_status pin(void* memory, std::uint64_t bytes);
  heap_status unpin(void* memory);
  [[nodiscard]] std::optional<heap_allocation> find_pinned(const void* pointer) const;

  // Another number whenever memory has gone since, so that what `find` found may be kept meanwhile.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // A fault for each allocation and opened handle that is left. Pinned memory may last as long as
  // the process; the ledger says what did.
  void report_leaks();

 private:
  device_heap();
  heap_status map_pages(heap_allocation&);
  void unmap_pages(const heap_allocation&);
  std::byte* free_slots(std::uint64_t bytes) const;
  std::uint64_t used(int device) const;
  void let_kernels_access(bool allowed) const;
  using allocations = std::map<std::byte*, heap_allocation>;
  static const heap_allocation* containing(const allocations&, const void* pointer);
  const heap_allocation* containing(const void* pointer) const;
  const heap_allocation* pinned_containing(const void* pointer) const;

  mutable std::mutex mutex_;
  std::byte* region_ = nullptr;  // reserved, PROT_NONE
  std::uint64_t next_id_ = 1;
  int kernels_ = 0;  // that run
  std::atomic<std::uint64_t> version_{1};
  allocations live_;
  allocations pinned_;
  std::set<std::byte*> freed_;  // bases not given out again since
};

}  // namespace oriel::test_driver
