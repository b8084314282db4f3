// Atomics on memory that this process maps: by single instructions, or, where there are many
// elements, by plain loops of one that has the memory of its rank to itself.
#pragma once

#include <cstddef>

#include "atomics/kernels.hpp"
#include "win/serve/apply_request.hpp"

namespace oriel::win {

// `n` elements of `type` at `there`, in the memory of rank `owner`, of this node. `results` may be
// null. Complete on return.
struct mapped_run {
  rank owner;
  std::byte* there;
  atomic_op op;
  primitive type;
  const std::byte* operands;  // null with no_op
  std::byte* results;
  std::size_t n;
  atomics::accumulate_fn kernel;  // for single instructions, or for a holder of an exclusive lock
};

inline atomics::stripes* stripes_of(detail::window_core& core) noexcept {
  return core.operations.stripes ? &*core.operations.stripes : nullptr;
}

// Bytes that one has the memory to itself for: some microseconds.
inline constexpr std::size_t bytes_at_once = 65536;

// `blocks` of `n` elements each, `stride` bytes apart, with operands and results that are dense.
// Complete on return.
struct mapped_blocks {
  rank owner;
  std::byte* there;
  std::ptrdiff_t stride;
  atomic_op op;
  primitive type;
  const std::byte* operands;
  std::byte* results;  // may be null
  std::size_t n;
  std::size_t blocks;
};
errc accumulate_mapped_blocks(detail::window_core&, const mapped_blocks&) noexcept;

errc accumulate_past_gate(detail::window_core&, const mapped_run&) noexcept;

inline errc accumulate_mapped_run(detail::window_core& core, const mapped_run& x) noexcept {
  if (core.operations.gates) return accumulate_past_gate(core, x);
  return x.kernel(x.there, x.operands, x.results, x.n, stripes_of(core), key_of(core, x.there));
}

// Performs `step`, of single instructions on the memory of rank `owner`.
template <class Step>
errc pass_gate(detail::window_core& core, rank owner, Step step) noexcept {
  if (!core.operations.gates) return step();
  return core.operations.gates->pass(static_cast<std::uint32_t>(core.node_rank(owner)), step);
}

// Whether an accumulate of `elements` of rank `owner` is long: `core.operations.gates->alone` is
// for it then. This process, of which no two threads are in oriel at once, may have the exclusive
// lock of the rank: then it is alone already.
inline bool goes_alone(detail::window_core& core, rank owner, std::size_t elements) noexcept {
  return core.operations.gates && !core.epochs.passive.exclusive(owner) &&
         core.operations.gates->are_long(static_cast<std::uint32_t>(core.node_rank(owner)),
                                         elements);
}

}  // namespace oriel::win
