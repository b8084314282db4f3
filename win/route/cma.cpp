// A peer's private memory, which the kernel copies (process_vm_readv, process_vm_writev). Atomics
// are the owner's.
#include "win/route/cma.hpp"

#include "transport/cma.hpp"
#include "win/route/cma_layouts.hpp"
#include "win/route/cma_pieces.hpp"
#include "win/route/known_routes.hpp"
#include "win/route/owner_mail.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

offer probe_cma(assertion_set promised, const peer_facts& peer) noexcept {
  const bool allowed = peer.where == place::private_memory && peer.cma;
  return shares_node(promised, peer) && allowed
             ? offer{50, "its memory is private: use session::alloc_mem to have it mapped"}
             : offer{};
}

bool goes_by_mail(window_core& core, rank owner, std::size_t bytes) noexcept {
  return core.routes.prompt->worth_asking(core.node_rank(owner), bytes);
}

// The owner copies where the kernel refuses, but not memory that the kernel does not find:
// its agent would fault on it. So it is with puts.
errc get_cma(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
             std::size_t bytes, tracker* also) noexcept {
  if (const errc e = clear_way(core, at.owner); e != errc::success) return e;
  if (goes_by_mail(core, at.owner, bytes))
    return core.routes.prompt->measure(core.node_rank(at.owner), bytes, [&]() noexcept {
      return get_by_mail(core, at, offset, to, bytes, also);
    });
  const errc e = core.routes.prompt->copy(core.node_rank(at.owner), bytes, [&]() noexcept {
    return transport::cma_read(process_of(core, at.owner),
                               at.address + static_cast<std::uint64_t>(offset), to, bytes);
  });
  if (e == errc::system) return get_by_mail(core, at, offset, to, bytes, also);
  return latched(core, e, at.owner, "get");
}

}  // namespace

errc put_cma(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
             std::size_t bytes, tracker* also) noexcept {
  const std::uint64_t address = at.address + static_cast<std::uint64_t>(offset);
  if (bytes <= deferred_operations::largest)
    return core.routes.deferred->put(core, at, address, from, bytes);
  if (const errc e = clear_way(core, at.owner); e != errc::success) return e;
  if (goes_by_mail(core, at.owner, bytes))
    return core.routes.prompt->measure(core.node_rank(at.owner), bytes, [&]() noexcept {
      return put_by_mail(core, at, offset, from, bytes, also);
    });
  const errc e = core.routes.prompt->copy(core.node_rank(at.owner), bytes, [&]() noexcept {
    return transport::cma_write(process_of(core, at.owner), address, from, bytes);
  });
  if (e == errc::system) return put_by_mail(core, at, offset, from, bytes, also);
  return latched(core, e, at.owner, "put");
}

errc read_from(const window_core& core, rank origin, std::uint64_t address, void* to,
               std::size_t bytes) noexcept {
  return transport::cma_read(process_of(core, origin), address, to, bytes);
}

errc read_both_from(const window_core& core, rank origin, std::span<const iovec, 2> there, void* to,
                    std::size_t bytes) noexcept {
  const iovec here{to, bytes};
  return transport::cma_read_pieces(process_of(core, origin), there, std::span(&here, 1));
}

errc write_to(const window_core& core, rank origin, std::uint64_t address, const void* from,
              std::size_t bytes) noexcept {
  return transport::cma_write(process_of(core, origin), address, from, bytes);
}

constinit const route routes::cma = refine(mail_route, [](route& r) {
  r.name = "cma";
  r.probe = probe_cma;
  r.put = put_cma;
  r.get = get_cma;
  r.put_shape = put_layout_cma;
  r.get_shape = get_layout_cma;
});

}  // namespace oriel::win
