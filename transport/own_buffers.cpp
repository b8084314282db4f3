#include "transport/own_buffers.hpp"

#include <mutex>
#include <new>

namespace oriel::transport {

void own_buffers::add(const void* begin, std::size_t bytes) noexcept {
  const std::unique_lock hold(mutex_);
  try {
    blocks_.try_emplace(reinterpret_cast<std::uintptr_t>(begin), block{bytes, nullptr});
  } catch (const std::bad_alloc&) {
    // See add.
  }
}

void own_buffers::remove(const void* begin) noexcept {
  registration last;  // is closed after the lock
  const std::unique_lock hold(mutex_);
  const auto found = blocks_.find(reinterpret_cast<std::uintptr_t>(begin));
  if (found == blocks_.end()) return;
  last = std::move(found->second.region);
  blocks_.erase(found);
}

own_buffers::table::iterator own_buffers::holder(const void* at, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  auto next = blocks_.upper_bound(begin);
  if (next == blocks_.begin()) return blocks_.end();
  --next;
  const std::uintptr_t within = begin - next->first;
  return within <= next->second.bytes && bytes <= next->second.bytes - within ? next
                                                                              : blocks_.end();
}

}  // namespace oriel::transport
