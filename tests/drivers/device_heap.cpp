#include "tests/drivers/device_heap.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>

#include "tests/drivers/ledger.hpp"
#include "tests/drivers/switches.hpp"
#include "tests/support/running.hpp"

namespace oriel::test_driver {

struct shared_header {
  std::atomic<std::uint64_t> id;             // of the exporter; 0 once freed
  std::array<std::atomic<int>, 64> openers;  // processes, one entry for each that has it open
};

namespace {

constexpr std::uint64_t slot = std::uint64_t{2} << 20;
constexpr std::uint64_t region_bytes = std::uint64_t{256} << 30;
constexpr std::uint64_t header_bytes = 4096;
constexpr std::uint64_t magic = 0x6c6569726f;  // "oriel"
static_assert(sizeof(shared_header) <= header_bytes);

void* map(void* at, std::uint64_t bytes, int protection, int fd, std::uint64_t offset) {
  const int where = at == nullptr ? 0 : MAP_FIXED;
  void* m = mmap(at, bytes, protection, MAP_SHARED | where, fd, static_cast<off_t>(offset));
  return m == MAP_FAILED ? nullptr : m;
}

bool holds_entry(const shared_header& header) {
  for (const auto& opener : header.openers)
    if (opener.load() == getpid()) return true;
  return false;
}

// Whether some entry was `from` and is now `to`.
bool change_entry(shared_header& header, int from, int to) {
  for (auto& opener : header.openers) {
    int expected = from;
    if (opener.compare_exchange_strong(expected, to)) return true;
  }
  return false;
}

std::string describe(const heap_allocation& a) {
  return text_of(a.base) + " of " + std::to_string(a.bytes) + " bytes";
}

}  // namespace

bool updates_are_atomic(const heap_allocation& a, int device) {
  if (a.where == residence::managed) return true;
  if (a.where == residence::host) return !refuses("host_atomics");
  return a.home == machine_device(device) || !refuses("peer_atomics");
}

// Never destroyed: a library's own destructors still free memory when the process ends.
device_heap& device_heap::instance() {
  static auto& heap = *new device_heap;
  return heap;
}

device_heap::device_heap() {
  void* m =
      mmap(nullptr, region_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (m != MAP_FAILED) region_ = static_cast<std::byte*>(m);
}

heap_status device_heap::map_pages(heap_allocation& a) {
  const bool by_alias = a.where == residence::device;
  a.base = free_slots(a.mapped);
  if (a.base == nullptr) return heap_status::out_of_memory;
  const int access = PROT_READ | PROT_WRITE;
  a.header = static_cast<shared_header*>(map(nullptr, header_bytes, access, a.fd, a.mapped));
  a.alias = by_alias ? static_cast<std::byte*>(map(nullptr, a.mapped, access, a.fd, 0)) : a.base;
  if (map(a.base, a.mapped, by_alias ? PROT_NONE : access, a.fd, 0) != nullptr &&
      a.header != nullptr && a.alias != nullptr)
    return heap_status::ok;
  unmap_pages(a);
  return heap_status::out_of_memory;
}

void device_heap::unmap_pages(const heap_allocation& a) {
  version_.fetch_add(1);
  if (a.header != nullptr) munmap(a.header, header_bytes);
  if (a.alias != nullptr && a.alias != a.base) munmap(a.alias, a.mapped);
  // The range stays reserved, so that no other memory comes to lie there.
  mmap(a.base, a.mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void device_heap::let_kernels_access(bool allowed) const {
  for (const auto& [base, a] : live_)
    if (a.where == residence::device)
      mprotect(base, a.mapped, allowed ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void device_heap::enter_kernel() {
  const std::lock_guard hold(mutex_);
  if (++kernels_ == 1) let_kernels_access(true);
}

void device_heap::leave_kernel() {
  const std::lock_guard hold(mutex_);
  if (--kernels_ == 0) let_kernels_access(false);
}

std::byte* device_heap::free_slots(std::uint64_t bytes) const {
  if (region_ == nullptr) return nullptr;
  std::byte* at = region_;
  for (const auto& [base, a] : live_) {
    if (static_cast<std::uint64_t>(base - at) >= bytes) return at;
    at = base + a.mapped;
  }
  return static_cast<std::uint64_t>(region_ + region_bytes - at) >= bytes ? at : nullptr;
}

std::uint64_t device_heap::used(int device) const {
  std::uint64_t sum = 0;
  for (const auto& [base, a] : live_)
    if (!a.opened && a.device == device) sum += a.bytes;
  return sum;
}

const heap_allocation* device_heap::containing(const allocations& all, const void* pointer) {
  auto* const p = static_cast<std::byte*>(const_cast<void*>(pointer));
  auto after = all.upper_bound(p);
  if (after == all.begin()) return nullptr;
  const heap_allocation& a = std::prev(after)->second;
  return p < a.base + a.bytes ? &a : nullptr;
}

const heap_allocation* device_heap::containing(const void* pointer) const {
  return containing(live_, pointer);
}

heap_status device_heap::allocate(residence where, int device, std::uint64_t bytes, void** base) {
  const std::lock_guard lock(mutex_);
  if (bytes == 0 || bytes > memory_limit() || used(device) > memory_limit() - bytes)
    return heap_status::out_of_memory;
  heap_allocation a;
  a.bytes = bytes;
  a.mapped = (bytes + slot - 1) / slot * slot;
  a.where = where;
  a.device = device;
  a.home = machine_device(device);
  a.fd = memfd_create("oriel test device", MFD_CLOEXEC);
  if (a.fd < 0) return heap_status::out_of_memory;
  if (ftruncate(a.fd, static_cast<off_t>(a.mapped + header_bytes)) != 0 ||
      map_pages(a) != heap_status::ok) {
    ::close(a.fd);
    return heap_status::out_of_memory;
  }
  a.id = next_id_++;
  a.header->id.store(a.id);
  freed_.erase(a.base);
  live_.emplace(a.base, a);
  *base = a.base;
  return heap_status::ok;
}

heap_status device_heap::free(void* base) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(static_cast<std::byte*>(base));
  if (found == live_.end()) {
    fault(freed_.contains(static_cast<std::byte*>(base)) ? "freed twice" : "free of unknown memory",
          text_of(base));
    return heap_status::unknown;
  }
  const heap_allocation a = found->second;
  if (a.opened) {
    fault("free of memory that another process exported", describe(a));
    return heap_status::unknown;
  }
  for (const auto& opener : a.header->openers)
    if (const int process = opener.load(); process != 0 && testing::is_running(process))
      fault("free of memory that another process has open",
            describe(a) + ", process " + std::to_string(process));
  a.header->id.store(0);
  unmap_pages(a);
  ::close(a.fd);
  freed_.insert(a.base);
  live_.erase(found);
  return heap_status::ok;
}

std::optional<heap_allocation> device_heap::find(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  const heap_allocation* a = containing(pointer);
  return a == nullptr ? std::nullopt : std::optional(*a);
}

std::byte* device_heap::reach(const void* pointer, std::uint64_t bytes, const char* why) {
  auto* const p = static_cast<std::byte*>(const_cast<void*>(pointer));
  const std::lock_guard lock(mutex_);
  if (region_ == nullptr || p < region_ || p >= region_ + region_bytes) return p;
  const heap_allocation* a = containing(p);
  if (a == nullptr) {
    fault("use of freed, closed or unknown memory",
          std::string(why) + " of " + std::to_string(bytes) + " bytes at " + text_of(p));
    return nullptr;
  }
  const auto offset = static_cast<std::uint64_t>(p - a->base);
  if (bytes > a->bytes - offset) {
    fault("out of bounds", std::string(why) + " of " + std::to_string(bytes) + " bytes at offset " +
                               std::to_string(offset) + " of " + describe(*a));
    return nullptr;
  }
  return a->alias + offset;
}

std::byte* device_heap::reach_by_kernel(const void* pointer, std::uint64_t bytes) {
  std::byte* const place = reach(pointer, bytes, "access by a kernel");
  if (place == nullptr || find(pointer).has_value() || find_pinned(pointer).has_value())
    return place;
  fault("a kernel reaches pageable memory", text_of(pointer));
  return nullptr;
}

std::byte* device_heap::update_by_kernel(int device, void* pointer, std::uint64_t bytes) {
  std::byte* const place = reach_by_kernel(pointer, bytes);
  const auto found = find(pointer);
  const auto pinned = found ? found : find_pinned(pointer);
  if (place == nullptr || (pinned && updates_are_atomic(*pinned, device))) return place;
  fault("an update over a link without native atomics", text_of(pointer));
  return nullptr;
}

heap_handle device_heap::export_handle(const heap_allocation& a) {
  heap_handle h;
  h.magic = magic;
  h.id = a.id;
  h.bytes = a.bytes;
  h.process = getpid();
  h.fd = a.fd;
  h.device = a.home;
  h.reserved[0] = static_cast<std::uint32_t>(a.where);
  return h;
}

heap_status device_heap::open(const heap_handle& h, int device, void** base) {
  orphan(h.process);
  if (h.magic != magic) return heap_status::unknown;
  if (h.process == getpid()) return heap_status::own_handle;
  const std::lock_guard lock(mutex_);
  heap_allocation a;
  const std::string path = "/proc/" + std::to_string(h.process) + "/fd/" + std::to_string(h.fd);
  a.fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (a.fd < 0) return heap_status::stale_handle;
  a.bytes = h.bytes;
  a.mapped = (h.bytes + slot - 1) / slot * slot;
  a.where = static_cast<residence>(h.reserved[0]);
  a.device = device;
  a.home = h.device;
  a.opened = true;
  // The exporter may have freed it and given the descriptor's number to something else.
  const bool whole = lseek(a.fd, 0, SEEK_END) == static_cast<off_t>(a.mapped + header_bytes);
  const heap_status mapped = whole ? map_pages(a) : heap_status::stale_handle;
  ::close(a.fd);
  a.fd = -1;
  if (mapped != heap_status::ok) return mapped;
  const auto refuse = [&](heap_status why) {
    unmap_pages(a);
    return why;
  };
  if (a.header->id.load() != h.id) return refuse(heap_status::stale_handle);
  if (holds_entry(*a.header)) return refuse(heap_status::already_opened);
  if (!change_entry(*a.header, 0, getpid())) return refuse(heap_status::out_of_memory);
  a.id = next_id_++;
  freed_.erase(a.base);
  live_.emplace(a.base, a);
  *base = a.base;
  return heap_status::ok;
}

heap_status device_heap::close(void* base) {
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(static_cast<std::byte*>(base));
  if (found == live_.end() || !found->second.opened) {
    fault("close of memory that is not open", text_of(base));
    return heap_status::unknown;
  }
  change_entry(*found->second.header, getpid(), 0);
  unmap_pages(found->second);
  freed_.insert(found->first);
  live_.erase(found);
  return heap_status::ok;
}

}  // namespace oriel::test_driver
