// The allocations of other processes that this one has open. Vendors refuse, or map anew, what is
// opened a second time, while every window and every peer opens what it needs: so each is opened
// once and counted. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "kinds/device_runtime.hpp"

namespace oriel::kinds {

// REQUIRES: `Mapping` is movable and has a member `std::byte* base`, where the allocation begins.
template <class Mapping>
class counted_opens {
 public:
  // The exporter's pointer here. `open()` makes the mapping when there is none; it may throw.
  template <class Open>
  std::byte* open(const ipc_ticket& ticket, Open&& open) {
    const std::lock_guard hold{lock_};
    const auto found = opened_.find(key{ticket.process, ticket.handle});
    if (found != opened_.end()) {
      ++found->second.users;
      return found->second.mapping.base + ticket.offset;
    }
    Mapping mapping = open();
    std::byte* const base = mapping.base;
    opened_.emplace(key{ticket.process, ticket.handle}, entry{std::move(mapping), 1});
    return base + ticket.offset;
  }

  // `undo(mapping)` unmaps when the last user is gone. It runs before a thread can open the same
  // memory again, which a vendor would refuse while it is mapped.
  template <class Undo>
  void close(const ipc_ticket& ticket, Undo&& undo) noexcept {
    const std::lock_guard hold{lock_};
    const auto found = opened_.find(key{ticket.process, ticket.handle});
    if (found == opened_.end() || --found->second.users > 0) return;
    undo(found->second.mapping);
    opened_.erase(found);
  }

 private:
  using key = std::pair<process_identity, decltype(ipc_ticket::handle)>;
  struct entry {
    Mapping mapping;
    int users = 0;
  };

  std::mutex lock_;
  std::map<key, entry> opened_;
};

}  // namespace oriel::kinds
