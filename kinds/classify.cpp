// A program frees and allocates without calling oriel, and the same address may then name another
// allocation, of another residence or device. So an entry of the cache counts only while the
// runtime returns the same id for the pointer: ids are never used twice. Invalidating entries where
// oriel frees memory would not suffice, because most buffers are the program's own. For the same
// reason memory that belongs to no runtime has no entry.
#include "kinds/classify.hpp"

#include <array>
#include <cstddef>

namespace oriel::kinds {
namespace {

struct answers {
  std::array<device_allocation, 4> known{};  // bytes 0: free
  std::size_t oldest = 0;
};

bool within(const device_allocation& a, const void* pointer) noexcept {
  const auto p = reinterpret_cast<std::uintptr_t>(pointer);
  const auto base = reinterpret_cast<std::uintptr_t>(a.base);
  return p >= base && p - base < a.bytes;
}

void remember(answers& recent, const device_allocation& found) noexcept {
  for (auto& entry : recent.known)
    if (entry.whose == found.whose && entry.base == found.base) {
      entry = found;
      return;
    }
  recent.known[recent.oldest] = found;
  recent.oldest = (recent.oldest + 1) % recent.known.size();
}

}  // namespace

std::optional<device_allocation> classify(const void* pointer) noexcept {
  if (!any_runtime_loaded()) return std::nullopt;
  thread_local answers recent;
  for (const auto& entry : recent.known)
    if (within(entry, pointer) && loaded(entry.whose)->allocation_id(pointer) == entry.id)
      return entry;
  for (const vendor v : all_vendors) {
    const device_runtime* const runtime = loaded(v);
    if (runtime == nullptr) continue;
    if (const auto found = runtime->classify(pointer)) {
      if (found->id != 0) remember(recent, *found);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace oriel::kinds
