// Memory of this process that is oriel's: no program unmaps it, so that it is registered once for
// this process's own reads and writes, where the provider wants that (FI_MR_LOCAL), and not for
// each.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>

#include "transport/endpoint.hpp"

namespace oriel::transport {

class own_buffers {
 public:
  using registration = std::shared_ptr<const memory_region>;

  // A block that nothing else here overlaps; registered when it is first used. Where memory is
  // short its transfers register it one by one.
  void add(const void* block, std::size_t bytes) noexcept;
  // Transfers under way keep its registration.
  void remove(const void* block) noexcept;
  // Of the block that holds [at, at + bytes): `register_block(begin, bytes)` makes it the first
  // time, and may throw. Null when no block holds it.
  template <class RegisterBlock>
  registration of(const void* at, std::size_t bytes, RegisterBlock register_block) {
    {
      const std::shared_lock hold(mutex_);
      const auto found = holder(at, bytes);
      if (found == blocks_.end()) return nullptr;
      if (found->second.region != nullptr) return found->second.region;
    }
    const std::unique_lock hold(mutex_);
    const auto found = holder(at, bytes);
    if (found == blocks_.end()) return nullptr;
    if (found->second.region == nullptr)
      found->second.region = register_block(found->first, found->second.bytes);
    return found->second.region;
  }

 private:
  struct block {
    std::size_t bytes;
    registration region;
  };
  using table = std::map<std::uintptr_t, block>;
  [[nodiscard]] table::iterator holder(const void* at, std::size_t bytes) noexcept;

  std::shared_mutex mutex_;
  table blocks_;
};

}  // namespace oriel::transport
