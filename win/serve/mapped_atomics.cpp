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

}  // namespace oriel::win
