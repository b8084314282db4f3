// The options of a window beyond its base type and its assertions.
#pragma once

#include <cstddef>
#include <string>

#include "oriel/atomic_op.hpp"
#include "oriel/info.hpp"

namespace oriel {

// All ranks give the same options, except `hints`, which may differ where MPI lets them. What
// construction compares is `ops` and `notify_counters` (else mismatched_assertions). `name`
// and `aggregate` may differ.
struct window_options {
  // Shown in every message about the window; at most 63 bytes are kept, and what is no UTF-8
  // becomes question marks.
  std::string name = "window";

  // Hints by MPI's names (MPI-4.1 §12.2); `window::hints()` returns those in force.
  //   alloc_shared_noncontig        "true": each rank's segment starts on a page of its own
  //   mpi_minimum_memory_alignment  bytes, a power of two; else construction fails with errc::info
  //   mpi_assert_memory_alloc_kinds kinds of memory that origin and result buffers, and what is
  //                                 given to create and attach, will have; ignored as a whole,
  //                                 leaving the team's, when one of them is not provided
  //   accumulate_ordering           not read: reported as the ordered_* assertions have it
  // Unknown keys are ignored and not reported as in force.
  info hints{};

  // Extension: the kind of memory that `allocate` allocates, by MPI's names: "cuda:device",
  // "cuda:managed", "cuda:host", and likewise of rocm and level_zero. Empty, "system" and those of
  // mpi: the node's shared memory, mpi:win_allocate. The hint oriel_device names the device, as for
  // session::alloc_mem. `create` ignores it, and classifies the memory that it is given.
  // Construction throws unsupported_kind where the session does not provide the kind.
  std::string memory_kind{};

  // Extension: the operations that accumulates, fetch_op and get_accumulate will use. A promise:
  // others, no_op too, return op, except from the inlined single-element operations of a static
  // window, which do not test it.
  op_set ops = any_op;

  // Extension: displacements of attached memory, and of what `create` is given with
  // assertion::attach, are its owner's addresses in extents of the base, as in MPI's dynamic
  // windows; attach throws rma_attach for an address that is no multiple of the extent. Else
  // displacements are assigned from 0 on, and never twice.
  bool displacements_are_addresses = false;

  // Extension: every process serves requests of other nodes at any time, also while it computes or
  // waits in an embedding program. Without it, windows that assert only fence and pscw serve them
  // while they wait in oriel. Costs each process a thread, which sleeps until a request arrives.
  bool asynchronous_progress = false;

  // Extension, a promise: operations are many and small. Single elements that are put, accumulated
  // or got by get_nbi, fetch_op_nbi and compare_swap_nbi go to other nodes, and to private memory
  // of this one, many in a message (docs/SMALL_OPERATIONS.md), which takes their processors' time,
  // also on networks that write memory themselves. Also by the hint oriel_aggregate, "true" or
  // "false", and by ORIEL_AGGREGATE.
  bool aggregate = false;

  // Extension: notification counters per rank, with assertion::notify; at most 65536 (else arg).
  std::size_t notify_counters = 8;
};

}  // namespace oriel
