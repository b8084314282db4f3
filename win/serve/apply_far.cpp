#include "win/serve/apply_far.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "sync/run_list.hpp"
#include "transport/pieces.hpp"
#include "win/route/cma.hpp"
#include "win/serve/apply_request.hpp"
#include "win/serve/apply_runs.hpp"

namespace oriel::win {
namespace {

using detail::window_core;
using sync::am_kind;

// Bytes of operands, and of results, at a time.
constexpr std::size_t far_room = sync::longest_far_list;

errc apply_dense(window_core& core, const sync::am_request& m, const sync::far_operands& at,
                 rank origin, std::byte* operands, std::byte* results) noexcept {
  const std::size_t bytes = m.elements * size_of(m.type);
  if (!core.memory.own_book->exposes(m.address, bytes, core.agreed.extent)) return errc::rma_range;
  const std::size_t at_once = far_room / size_of(m.type) * size_of(m.type);
  return transport::in_pieces(bytes, at_once, [&](std::size_t done, std::size_t n) noexcept {
    if (const errc e = read_from(core, origin, at.operands + done, operands, n); e != errc::success)
      return e == errc::system && done != 0 ? errc::peer_failed : e;     // part of it is done
    auto* const there = reinterpret_cast<std::byte*>(m.address + done);  // NOLINT: it is exposed
    const errc e = apply_request(core, {m.kind, m.op, m.type, there, operands, results, n});
    return e != errc::success || m.kind == am_kind::accumulate
               ? e
               : write_to(core, origin, at.results + done, results, n);
  });
}

errc apply_list(window_core& core, const sync::am_request& m, const sync::far_operands& at,
                rank origin, std::byte* list, std::byte* results) noexcept {
  if (m.elements > far_room || m.elements < sizeof(sync::block_run)) return errc::rma_range;
  // NOLINTBEGIN(performance-no-int-to-ptr): addresses of another process
  const std::array<iovec, 2> parts{
      iovec{reinterpret_cast<void*>(at.results), sizeof(sync::block_run)},
      {reinterpret_cast<void*>(at.operands), m.elements - sizeof(sync::block_run)}};
  // NOLINTEND(performance-no-int-to-ptr)
  errc e = m.is_split ? read_both_from(core, origin, parts, list, m.elements)
                      : read_from(core, origin, at.operands, list, m.elements);
  std::size_t replied = 0;
  if (e == errc::success) e = apply_runs(core, m, list, results, replied);
  return e != errc::success || m.kind != am_kind::get_accumulate_runs
             ? e
             : write_to(core, origin, at.results, results, replied);
}

}  // namespace

errc apply_far(window_core& core, const sync::am_request& m, const sync::far_operands& at,
               rank origin) noexcept {
  std::unique_ptr<std::byte[]>& room = core.routes.far;
  if (room == nullptr) room.reset(new (std::nothrow) std::byte[2 * far_room]);
  if (room == nullptr) return errc::system;
  std::byte* const results = room.get() + far_room;
  if (m.kind >= am_kind::put_runs) return apply_list(core, m, at, origin, room.get(), results);
  if (m.kind != am_kind::accumulate && m.kind != am_kind::get_accumulate) return errc::arg;
  return apply_dense(core, m, at, origin, room.get(), results);
}

}  // namespace oriel::win
