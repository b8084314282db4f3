// The memory that a rank brings to a window, as it is before the agreement.
#pragma once

#include <cstdint>
#include <string>

#include "kinds/device_runtime.hpp"
#include "win/construct/window_plan.hpp"

namespace oriel::detail {
class session_state;
class window_core;
}  // namespace oriel::detail

namespace oriel::win {

struct construction;

struct own_memory {
  place where = place::nowhere;
  bool moves_private = false;  // private memory becomes the node's where it can
  std::uint64_t offset = 0;    // in the node's memory, of memory given to create that is there
  std::string why_private;     // given to create and not moved into the node's memory
  // Of device kinds; null for the host's own memory.
  kinds::device_runtime* runtime = nullptr;
  kinds::residence residence = kinds::residence::host;
  int device = 0;
  // Other processes of the node may open it; else why not.
  bool openable = false;
  std::string why_closed;
  kinds::ipc_ticket ticket;  // of memory given to create, if openable

  // Held by a runtime: not the operating system's, nor the node's.
  [[nodiscard]] bool of_a_device() const noexcept {
    return where == place::device_memory || where == place::managed_memory;
  }
  // The node's memory, made known to devices: what `allocate` gives for a kind's `host`.
  [[nodiscard]] bool pinned() const noexcept {
    return where == place::node_memory && runtime != nullptr;
  }
};

// What `allocate` will give by window_options::memory_kind, or what create's memory is found to be.
// `node_rank_of` spreads ranks over devices. Throws unsupported_kind, info or arg.
own_memory find_out(const construction&, detail::session_state&, int node_rank_of);

// Whether operations of the window may be given buffers in device memory: the session provides such
// kinds, and no assertion in force (mpi_assert_memory_alloc_kinds) rules them out.
bool origins_may_be_on_device(const detail::window_core&);

}  // namespace oriel::win
