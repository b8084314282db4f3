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
constexpr std::size_t far_room = sync::longest_named_list;

// What has been begun is not to be begun again by other means.
errc begun(errc e) noexcept {
  return e == errc::system ? errc::no_mem : e;
}
// What the kernel does not find there either: memory that only its own process may read, say.
errc not_begun(errc e) noexcept {
  return e == errc::rma_range ? errc::system : e;
}

// One request, with room here for what it brings and what it returns.
struct far_request {
  window_core& core;
  const sync::am_request& m;
  const sync::named_operands& at;
  rank origin;
  std::byte* operands;
  std::byte* results;

  // Tried once for each origin, by a write of what will be written over.
  [[nodiscard]] errc may_return(std::size_t bytes) const noexcept {
    char& known = core.routes.far_returns[core.node_rank(origin)];
    if (known != 0) return errc::success;
    const errc e = not_begun(write_to(core, origin, at.results, operands, bytes));
    known = e == errc::success ? 1 : 0;
    return e;
  }
};

errc apply_dense(const far_request& r) noexcept {
  const std::size_t element = size_of(r.m.type), bytes = r.m.elements * element;
  const bool fetches = r.m.kind == am_kind::get_accumulate;
  if (!r.core.memory.own_book->exposes(r.m.address, bytes, r.core.agreed.extent))
    return errc::rma_range;
  return transport::in_pieces(
      bytes, far_room / element * element, [&](std::size_t done, std::size_t n) noexcept {
        errc e = read_from(r.core, r.origin, r.at.operands + done, r.operands, n);
        if (done == 0) e = not_begun(e);
        if (e == errc::success && done == 0 && fetches) e = r.may_return(n);
        if (e != errc::success) return done == 0 ? e : begun(e);
        auto* const there = reinterpret_cast<std::byte*>(r.m.address + done);  // NOLINT: exposed
        e = apply_request(r.core, {r.m.kind, r.m.op, r.m.type, there, r.operands, r.results, n});
        if (e == errc::success && fetches)
          e = write_to(r.core, r.origin, r.at.results + done, r.results, n);
        return begun(e);
      });
}

errc apply_list(const far_request& r) noexcept {
  const std::size_t bytes = r.m.elements;
  const bool fetches = r.m.kind == am_kind::get_accumulate_runs;
  if (bytes > far_room || bytes < sizeof(sync::block_run)) return errc::rma_range;
  // NOLINTBEGIN(performance-no-int-to-ptr): addresses of another process
  const std::array<iovec, 2> parts{
      iovec{reinterpret_cast<void*>(r.at.results), sizeof(sync::block_run)},
      {reinterpret_cast<void*>(r.at.operands), bytes - sizeof(sync::block_run)}};
  // NOLINTEND(performance-no-int-to-ptr)
  errc e = r.m.is_split ? read_both_from(r.core, r.origin, parts, r.operands, bytes)
                        : read_from(r.core, r.origin, r.at.operands, r.operands, bytes);
  if (e == errc::success && fetches) e = r.may_return(1);
  if (e != errc::success) return not_begun(e);
  std::size_t replied = 0;
  e = apply_runs(r.core, r.m, r.operands, r.results, replied);
  if (e == errc::success && fetches)
    e = write_to(r.core, r.origin, r.at.results, r.results, replied);
  return begun(e);
}

}  // namespace

errc apply_far(window_core& core, const sync::am_request& m, const sync::named_operands& at,
               rank origin) noexcept {
  std::unique_ptr<std::byte[]>& room = core.routes.far;
  try {
    core.routes.far_returns.resize(core.group->node_members().size());
    if (room == nullptr) room = std::make_unique<std::byte[]>(2 * far_room);
  } catch (const std::bad_alloc&) {
    return errc::system;
  }
  const far_request r{core, m, at, origin, room.get(), room.get() + far_room};
  if (m.kind >= am_kind::put_runs && m.kind != am_kind::get_runs) return apply_list(r);
  if (m.kind != am_kind::accumulate && m.kind != am_kind::get_accumulate) return errc::arg;
  return apply_dense(r);
}

}  // namespace oriel::win
