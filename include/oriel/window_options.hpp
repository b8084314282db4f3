// What may be said about a window beyond its base type and its assertions.
#pragma once

#include <cstddef>
#include <string>

#include "oriel/atomic_op.hpp"
#include "oriel/info.hpp"

namespace oriel {

// All ranks give the same options, except `hints`, which may differ where MPI lets them.
struct window_options {
  // Shown in every message about the window; at most 63 characters are kept.
  std::string name = "window";

  // Hints by MPI's names (MPI-4.1 §12.2); `window::hints()` returns those in force.
  //   alloc_shared_noncontig        "true": each rank's segment starts on a page of its own
  //   mpi_minimum_memory_alignment  bytes, a power of two; else construction fails with errc::info
  //   mpi_assert_memory_alloc_kinds kinds of memory that origin and result buffers, and what is
  //                                 given to create and attach, will have; ignored as a whole,
  //                                 leaving the team's, when one of them is not provided
  //   accumulate_ordering           "none" or a list of rar, raw, war, waw; answered by the
  //                                 ordered_* assertions
  // Unknown keys are ignored and not reported as in force.
  info hints{};

  // Extension: what `allocate` gives, by MPI's names: "cuda:device", "cuda:managed", "cuda:host",
  // and the like of rocm and level_zero. The session must provide it, else construction fails with
  // errc::unsupported_kind. Empty: the node's shared memory, mpi:win_allocate. `create` finds out
  // what it is given. The hint oriel_device names the device, as for session::alloc_mem.
  std::string memory_kind{};

  // Extension: the operations that accumulates, fetch_op and get_accumulate will use. A promise:
  // anything else is refused with errc::op where the operation is looked up, and not by the inlined
  // single-element operations of a static window.
  op_set ops = any_op;

  // Extension: attached memory, and what `create` is given with assertion::attach, is reached at
  // its owner's addresses, counted in extents of the base, as in MPI's dynamic windows; an address
  // that is no multiple of the extent cannot be attached (rma_attach). Else displacements are
  // handed out from 0 and never twice.
  bool displacements_are_addresses = false;

  // Extension: targets may be elsewhere while others access their memory, computing or waiting in
  // an embedding program, in epochs of every kind: this process serves other nodes at any time,
  // where windows that assert only fence and pscw serve them in their waits. Costs a thread, which
  // sleeps when nothing comes.
  bool asynchronous_progress = false;

  // Extension: notification counters per rank, with assertion::notify.
  std::size_t notify_counters = 8;
};

}  // namespace oriel
