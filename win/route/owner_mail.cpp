#include "win/route/owner_mail.hpp"

#include "sync/put_list.hpp"
#include "transport/pieces.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/known_routes.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using sync::am_kind;
using sync::am_request;

bool find_in_book(const window_core& core, rank r, disp i, std::uint64_t n,
                  target& found) noexcept {
  const auto record = core.book(r).find(i.value, n, core.agreed.extent);
  if (!record) return false;
  found.address = record->address + (i.value - record->first) * core.agreed.extent;
  found.in_device_memory = core.routes.where(r) == place::device_memory;
  return true;
}

namespace {

am_request make_request(am_kind kind, const target& at, std::ptrdiff_t offset, std::size_t done,
                        std::size_t elements) noexcept {
  am_request m;
  m.kind = kind;
  m.address = at.address + static_cast<std::uint64_t>(offset) + done;
  m.elements = static_cast<std::uint32_t>(elements);
  return m;
}

errc ask(window_core& core, const target& at, const am_request& m, const void* sent,
         std::size_t bytes, void* replied, std::size_t reply_bytes) noexcept {
  if (const errc e = clear_way(core, at.owner); e != errc::success) return e;
  return core.routes.mailbox->ask(static_cast<int>(core.node_rank(at.owner)), m, sent, bytes,
                                  replied, reply_bytes);
}

constexpr const char* an_atomic = "an atomic operation, by its agent,";

std::string_view why(const peer_facts& peer) noexcept {
  switch (peer.where) {
    case place::device_memory:
      return "its device memory cannot be opened by other processes";
    case place::managed_memory:
      return "managed memory cannot be opened by other processes";
    default:
      return "its memory is private and the kernel refuses process_vm_readv";
  }
}

offer probe_owner_mail(assertion_set promised, const peer_facts& peer) noexcept {
  const bool mapped = peer.where == place::node_memory || peer.where == place::nowhere;
  return shares_node(promised, peer) && !mapped ? offer{10, why(peer)} : offer{};
}

}  // namespace

errc put_by_mail(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes, tracker*) noexcept {
  const auto* const source = static_cast<const std::byte*>(from);
  const errc e = transport::in_pieces(
      bytes, sync::mail_payload, [&](std::size_t done, std::size_t n) noexcept {
        return ask(core, at, make_request(am_kind::put, at, offset, done, n), source + done, n,
                   nullptr, 0);
      });
  return latched(core, e, at.owner, "put");
}

errc put_list_by_mail(window_core& core, const target& at, const std::byte* origin,
                      const shape& here, const shape& there, put_piece put_long) noexcept {
  static_assert(sync::put_list::holds(long_piece));
  sync::put_list list;
  const auto send = [&]() noexcept {
    const errc e = ask(core, at, make_request(am_kind::put_list, at, 0, 0, list.bytes()),
                       list.data(), list.bytes(), nullptr, 0);
    list.clear();
    return latched(core, e, at.owner, "put");
  };
  const errc e = for_each_pair(
      here, there,
      [&](std::ptrdiff_t from, std::ptrdiff_t to, primitive, std::size_t bytes) noexcept {
        if (bytes >= long_piece) return put_long(core, at, to, moved(origin, from), bytes, nullptr);
        if (!list.has_room(bytes))
          if (const errc sent = send(); sent != errc::success) return sent;
        list.add(at.address + static_cast<std::uint64_t>(to), moved(origin, from), bytes);
        return errc::success;
      });
  return e != errc::success || list.bytes() == 0 ? e : send();
}

errc get_by_mail(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
                 std::size_t bytes, tracker*) noexcept {
  auto* const sink = static_cast<std::byte*>(to);
  const errc e = transport::in_pieces(
      bytes, sync::mail_payload, [&](std::size_t done, std::size_t n) noexcept {
        return ask(core, at, make_request(am_kind::get, at, offset, done, n), nullptr, 0,
                   sink + done, n);
      });
  return latched(core, e, at.owner, "get");
}

errc accumulate_by_mail(window_core& core, const target& at, std::ptrdiff_t offset,
                        const accumulation& a, tracker*) noexcept {
  const std::size_t element = size_of(a.type);
  const auto* const sent = static_cast<const std::byte*>(a.operands);
  auto* const replied = static_cast<std::byte*>(a.results);
  const bool reads = a.op != atomic_op::no_op;
  const auto kind = replied != nullptr ? am_kind::get_accumulate : am_kind::accumulate;
  if (core.routes.deferred->keep(core, at, at.address + static_cast<std::uint64_t>(offset), a,
                                 a.n * element))
    return errc::success;
  const std::size_t most = sync::mail_payload / element * element;
  const errc e =
      transport::in_pieces(a.n * element, most, [&](std::size_t done, std::size_t n) noexcept {
        am_request m = make_request(kind, at, offset, done, n / element);
        m.op = a.op;
        m.type = a.type;
        return ask(core, at, m, reads ? sent + done : nullptr, reads ? n : 0,
                   replied == nullptr ? nullptr : replied + done, replied == nullptr ? 0 : n);
      });
  return latched(core, e, at.owner, an_atomic);
}

errc swap_by_mail(window_core& core, const target& at, const swap& s) noexcept {
  const swap_operands both(s);
  const am_request m = make_request(am_kind::compare_swap, at, 0, 0, s.bytes);
  return latched(core, ask(core, at, m, both.data(), both.bytes(), s.result, s.bytes), at.owner,
                 an_atomic);
}

constinit const route routes::owner_mail = refine(mail_route, [](route& r) {
  r.name = "owner_mail";
  r.probe = probe_owner_mail;
});

}  // namespace oriel::win
