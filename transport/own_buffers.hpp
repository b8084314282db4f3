// Memory of this process that stays where it is for as long as it is known here: it is registered
// once for this process's own reads and writes, where the provider wants that (FI_MR_LOCAL), and
// not for each. It is oriel's, which no program unmaps; or lent, which a program has given to a
// window and keeps until that is freed, or until it detaches it.
//
// Nothing else is: no event that a process can wait for comes before the memory is another's
// (docs/PROVIDERS.md).
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "oriel/errc.hpp"
#include "sync/system.hpp"
#include "transport/endpoint.hpp"

namespace oriel::transport {

class own_buffers {
 public:
  using registration = std::shared_ptr<const memory_region>;

  // A block that no other one of oriel's overlaps; registered when it is first used. Where memory
  // is short its transfers register it one by one.
  void add(const void* block, std::size_t bytes) noexcept;
  // Transfers under way keep its registration.
  void remove(const void* block) noexcept;
  // The same of what is lent, any part of which may be lent more than once.
  void lend(const void* block, std::size_t bytes) noexcept;
  void end_loan(const void* block, std::size_t bytes) noexcept;

  // Of a block that holds [at, at + bytes): `register_block(begin, bytes)` makes it the first time.
  // Null when no block holds it, or where it throws an error, which it does once.
  template <class RegisterBlock>
  registration of(const void* at, std::size_t bytes, RegisterBlock register_block) {
    {
      const std::shared_lock hold(mutex_);
      const block* const found = holder(at, bytes);
      if (found == nullptr || found->refused) return nullptr;
      if (found->region != nullptr) return found->region;
    }
    const std::unique_lock hold(mutex_);
    block* const found = holder(at, bytes);
    if (found == nullptr || found->refused) return nullptr;
    try {
      if (found->region == nullptr) found->region = register_block(found->begin, found->bytes);
    } catch (const error&) {
      found->refused = true;
    }
    return found->region;
  }

 private:
  struct block {
    std::uintptr_t begin;
    std::size_t bytes;
    registration region;
    bool refused = false;

    [[nodiscard]] bool holds(std::uintptr_t at, std::size_t n) const noexcept {
      return at - begin <= bytes && n <= bytes - (at - begin);
    }
  };
  using table = std::multimap<std::uintptr_t, block>;
  // Under the mutex.
  [[nodiscard]] block* holder(const void* at, std::size_t bytes) noexcept;
  static void insert(table&, const void* begin, std::size_t bytes) noexcept;

  sync::shared_mutex mutex_;
  table blocks_;
  table lent_;
  std::size_t longest_loan_ = 0;  // of all that there have been
};

}  // namespace oriel::transport
