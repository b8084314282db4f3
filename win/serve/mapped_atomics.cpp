#include "win/serve/mapped_atomics.hpp"

#include "transport/pieces.hpp"

namespace oriel::win {
namespace {

const std::byte* moved_if(const std::byte* at, std::size_t by) noexcept {
  return at == nullptr ? nullptr : at + by;
}

}  // namespace

errc accumulate_past_gate(detail::window_core& core, const mapped_run& x) noexcept {
  if (!goes_alone(core, x.owner, x.n))
    return pass_gate(core, x.owner, [&]() noexcept {
      return x.kernel(x.there, x.operands, x.results, x.n, stripes_of(core), key_of(core, x.there));
    });
  const auto plain = atomics::accumulate_kernel(x.op, x.type, atomics::kernel_mode::plain);
  const auto gate = static_cast<std::uint32_t>(core.node_rank(x.owner));
  const std::size_t element = size_of(x.type);
  return transport::in_pieces(x.n * element, bytes_at_once,
                              [&](std::size_t done, std::size_t bytes) noexcept {
                                return core.operations.gates->alone(gate, [&]() noexcept {
                                  return plain(x.there + done, moved_if(x.operands, done),
                                               x.results == nullptr ? nullptr : x.results + done,
                                               bytes / element, nullptr, 0);
                                });
                              });
}

errc accumulate_mapped_blocks(detail::window_core& core, const mapped_blocks& x) noexcept {
  const bool alone = goes_alone(core, x.owner, x.n * x.blocks);
  const auto mode = alone ? atomics::kernel_mode::plain : atomics::kernel_mode::atomic;
  const auto kernel = atomics::accumulate_kernel(x.op, x.type, mode);
  const auto all = [&]() noexcept {
    const auto dense = static_cast<std::ptrdiff_t>(x.n * size_of(x.type));
    if (alone && x.results == nullptr) {
      atomics::blocks_kernel(x.op, x.type)(x.there, x.stride, x.operands, dense, x.n, x.blocks);
      return errc::success;
    }
    for (std::size_t b = 0; b < x.blocks; ++b) {
      const auto done = static_cast<std::ptrdiff_t>(b);
      std::byte* const there = x.there + done * x.stride;
      const errc e = kernel(there, x.operands + done * dense,
                            x.results == nullptr ? nullptr : x.results + done * dense, x.n,
                            alone ? nullptr : stripes_of(core), key_of(core, there));
      if (e != errc::success) return e;
    }
    return errc::success;
  };
  return alone ? core.operations.gates->alone(static_cast<std::uint32_t>(core.node_rank(x.owner)),
                                              all)
               : pass_gate(core, x.owner, all);
}

}  // namespace oriel::win
