// Gives a child of fork copies of the pages that its parent has moved into the node's memory
// (moved_pages.hpp), at the same addresses. The parent's thread waits in fork until they are made;
// its other threads go on, so a child that does more than exec finds what they have half done.
#pragma once

#include "sync/system.hpp"

namespace oriel::sessions::private_copies {

// From now on, for the rest of the process. Returns false when it cannot be done.
bool begin() noexcept;

// Who holds it moves pages, or forks.
sync::mutex& exclusion() noexcept;

}  // namespace oriel::sessions::private_copies
