// Whether this machine has huge pages for those who request them for shared memory.
#pragma once

#include "session/node/huge_pages.hpp"
#include "session/node/memory_advice.hpp"
#include "session/node/node_memory.hpp"
#include "session/node/page_sizes.hpp"

namespace oriel::testing {

inline bool machine_has_huge_pages() {
  using namespace sessions;
  if (huge_pages_here() != huge_pages::on_request) return false;
  const auto memory = node_memory::make(1, 0);
  std::byte* const at = memory->base() + memory->allocate(huge_page, huge_page);
  return madvise(at, huge_page, MADV_COLLAPSE) == 0;
}

}  // namespace oriel::testing
