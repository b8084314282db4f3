// Which mappings of this process are pages that a session has moved into the node's memory
// (moved_pages.hpp). They outlive the session, so what is known here stays for the rest of the
// process. Takes no lock and allocates nothing where it is read: allocators and the child of a fork
// ask, too.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "session/node/address_map.hpp"

namespace oriel::sessions::moved_mappings {

// The node's memory: a file, and where a session has mapped it for its own use, which holds nothing
// of the program's.
struct source {
  std::uint64_t inode = 0;
  dev_t device = 0;
  const std::byte* mapped = nullptr;
  std::size_t bytes = 0;
};

// Returns false when there have been too many.
bool add(const source&) noexcept;
// The session has unmapped the file, or is about to.
void forget_own_mapping(const source&) noexcept;

[[nodiscard]] bool any() noexcept;
[[nodiscard]] bool contains(const mapping&) noexcept;

// What madvise(…, MADV_DONTNEED) does: private memory reads as zeros afterwards, which allocators
// count on. Moved pages are cleared, and stay where they are; `advise_rest`, which is madvise, does
// the rest, and hears of all. Returns 0, or -1 with errno set.
using advise = int(void* begin, std::size_t bytes, int advice) noexcept;
int drop(void* begin, std::size_t bytes, advise* advise_rest) noexcept;

// Whether any of it is moved, or may be.
[[nodiscard]] bool overlap(const void* begin, std::size_t bytes) noexcept;

}  // namespace oriel::sessions::moved_mappings
