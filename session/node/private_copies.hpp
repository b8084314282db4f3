// Gives a child of fork copies of the pages that its parent has moved into the node's memory
// (moved_pages.hpp), at the same addresses. The parent waits in fork until they are made.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace oriel::sessions::private_copies {

// The node's memory: a file, and where a session has mapped it for its own use, which children
// share.
struct source {
  std::uint64_t inode = 0;
  dev_t device = 0;
  const std::byte* mapped = nullptr;
  std::size_t bytes = 0;
};

// From now on, for the rest of the process: pages outlive the session that moved them. Returns
// false when there have been too many.
bool begin(const source&) noexcept;
// The session has unmapped the file, or is about to.
void end(const source&) noexcept;

}  // namespace oriel::sessions::private_copies
