// A peer's memory, mapped here. Windows that are mapped everywhere do not come by: their operations
// are loads and stores of their own (win/slots/data.cpp, win/slots/atomic_mapped.cpp).
#include "oriel/detail/copy_bytes.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/known_routes.hpp"
#include "win/route/mapped.hpp"
#include "win/slots/atomic_access.hpp"

namespace oriel::win {

bool find_mapped(const window_core& core, rank r, disp i, std::uint64_t, target& found) noexcept {
  found.mapped = core.view.base + core.seen_entry(r).offset + i.value * core.agreed.extent;
  return true;
}

errc put_mapped(window_core&, const target& at, std::ptrdiff_t offset, const void* from,
                std::size_t bytes, tracker*) noexcept {
  detail::copy_bytes(moved(at.mapped, offset), from, bytes);
  return errc::success;
}

errc get_mapped(window_core&, const target& at, std::ptrdiff_t offset, void* to, std::size_t bytes,
                tracker*) noexcept {
  detail::copy_bytes(to, moved(at.mapped, offset), bytes);
  return errc::success;
}

errc accumulate_mapped(window_core& core, const target& at, std::ptrdiff_t offset,
                       const accumulation& a, tracker*) noexcept {
  const errc e = accumulate_mapped_run(
      core, {at.owner, at.mapped + offset, a.op, a.type, static_cast<const std::byte*>(a.operands),
             static_cast<std::byte*>(a.results), a.n, a.on_mapped});
  return e == errc::success ? e : core.fail(e, "accumulate on mapped memory failed");
}

errc swap_mapped(window_core& core, const target& at, const swap& s) noexcept {
  const errc e = pass_gate(core, at.owner, [&]() noexcept {
    return s.on_mapped(at.mapped, s.expected, s.desired, s.result, stripes_of(core),
                       key_of(core, at.mapped));
  });
  return e == errc::success ? e : core.fail(e, "compare_swap on mapped memory failed");
}

namespace {

offer probe_load_store(assertion_set promised, const peer_facts& peer) noexcept {
  const bool mapped = peer.where == place::node_memory || peer.where == place::nowhere;
  return shares_node(promised, peer) && mapped ? offer{90, ""} : offer{};
}

shared_segment<std::byte> query_load_store(const window_core& core, rank r) noexcept {
  const detail::segment_entry& entry = core.shared_entry(r);
  return {r, core.node_memory().base() + entry.offset, entry.count};
}

}  // namespace

constinit const route routes::load_store = refine(mapped_route, [](route& r) {
  r.name = "load_store";
  r.probe = probe_load_store;
  r.query = query_load_store;
});

}  // namespace oriel::win
