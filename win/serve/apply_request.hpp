// The owner's half of accesses to memory that the origin cannot reach itself: the same whether the
// request came from this node or from another.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sync/mailbox.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

struct owner_request {
  sync::am_kind kind = sync::am_kind::get;
  atomic_op op = atomic_op::no_op;
  primitive type = primitive::opaque;
  std::byte* location = nullptr;        // checked: in exposed memory
  const std::byte* operands = nullptr;  // compare_swap: what is expected, then what is desired
  std::byte* results = nullptr;         // as many bytes as the request has elements
  std::size_t bytes = 0;                // of one of them
};

// Returns rma_range where this process may not write the location.
errc apply_request(detail::window_core&, const owner_request&) noexcept;

// Names a location in memory to the striped locks, alike in every process that maps it: the
// distance from the start of node memory, also of memory outside of it, which only its owner's CPU
// touches.
inline std::uint64_t key_of(const detail::window_core& core, const std::byte* location) noexcept {
  return reinterpret_cast<std::uintptr_t>(location) -
         reinterpret_cast<std::uintptr_t>(core.view.base);
}

}  // namespace oriel::win
