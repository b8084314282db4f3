// The heap's other half: memory of the host that devices reach, and what is left at the end.
#include <string>

#include "tests/drivers/device_heap.hpp"
#include "tests/drivers/ledger.hpp"

namespace oriel::test_driver {

const heap_allocation* device_heap::pinned_containing(const void* pointer) const {
  return containing(pinned_, pointer);
}

heap_status device_heap::pin(void* memory, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto* const base = static_cast<std::byte*>(memory);
  if (bytes == 0 || pinned_containing(base) != nullptr ||
      pinned_containing(base + bytes - 1) != nullptr)
    return heap_status::already_opened;
  heap_allocation a;
  a.base = a.alias = base;
  a.bytes = a.mapped = bytes;
  a.where = residence::host;
  a.id = next_id_++;
  pinned_.emplace(base, a);
  return heap_status::ok;
}

heap_status device_heap::unpin(void* memory) {
  const std::lock_guard lock(mutex_);
  version_.fetch_add(1);
  if (pinned_.erase(static_cast<std::byte*>(memory)) != 0) return heap_status::ok;
  fault("unpinned without being pinned", text_of(memory));
  return heap_status::unknown;
}

std::optional<heap_allocation> device_heap::find_pinned(const void* pointer) const {
  const std::lock_guard lock(mutex_);
  const heap_allocation* a = pinned_containing(pointer);
  return a == nullptr ? std::nullopt : std::optional(*a);
}

void device_heap::leave_to_the_end(void* base) {
  const std::lock_guard lock(mutex_);
  live_.at(static_cast<std::byte*>(base)).of_module = true;
}

void device_heap::report_leaks() {
  const std::lock_guard lock(mutex_);
  for (const auto& [base, a] : live_)
    if (a.of_module)
      record("a module's variables at the end", text_of(base), std::to_string(a.bytes));
    else
      fault(a.opened ? "handle not closed" : "memory not freed",
            text_of(base) + " of " + std::to_string(a.bytes) + " bytes");
  for (const auto& [base, a] : pinned_)
    record("still pinned at the end", text_of(base), std::to_string(a.bytes));
}

}  // namespace oriel::test_driver
