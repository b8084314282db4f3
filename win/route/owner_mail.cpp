#include "win/route/owner_mail.hpp"

#include "transport/pieces.hpp"
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

errc ask_owner(window_core& core, const target& at, const am_request& m, const void* sent,
               std::size_t bytes, void* replied, std::size_t reply_bytes) noexcept {
  if (const errc e = clear_way(core, at.owner); e != errc::success) return e;
  return core.routes.mailbox->ask(static_cast<int>(core.node_rank(at.owner)), m, sent, bytes,
                                  replied, reply_bytes);
}

errc ask_owner_far(window_core& core, const target& at, am_request m, const void* operands,
                   std::size_t bytes, void* results) noexcept {
  // Of the owner's, beside mails that bring the operands.
  const std::size_t worth_a_system_call = core.routes.prompt->kernel_is_slow() ? 8192 : 1024;
  std::atomic<bool>& refused = core.routes.far_refused;
  if (bytes < worth_a_system_call || refused.load(std::memory_order_relaxed)) return errc::system;
  m.is_far = true;
  const sync::far_operands here{reinterpret_cast<std::uintptr_t>(operands),
                                reinterpret_cast<std::uintptr_t>(results)};
  const errc e = ask_owner(core, at, m, &here, sizeof here, nullptr, 0);
  if (e == errc::system) refused.store(true, std::memory_order_relaxed);
  return e;
}

errc put_by_mail(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes, tracker*) noexcept {
  const auto* const source = static_cast<const std::byte*>(from);
  const errc e = transport::in_pieces(
      bytes, sync::mail_payload, [&](std::size_t done, std::size_t n) noexcept {
        return ask_owner(core, at, make_request(am_kind::put, at, offset, done, n), source + done,
                         n, nullptr, 0);
      });
  return latched(core, e, at.owner, "put");
}

errc get_by_mail(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
                 std::size_t bytes, tracker*) noexcept {
  auto* const sink = static_cast<std::byte*>(to);
  const errc e = transport::in_pieces(
      bytes, sync::mail_payload, [&](std::size_t done, std::size_t n) noexcept {
        return ask_owner(core, at, make_request(am_kind::get, at, offset, done, n), nullptr, 0,
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
  const auto request = [&](std::size_t done, std::size_t n) noexcept {
    am_request m = make_request(kind, at, offset, done, n / element);
    m.op = a.op;
    m.type = a.type;
    return m;
  };
  if (core.routes.deferred->keep(core, at, at.address + static_cast<std::uint64_t>(offset), a,
                                 a.n * element))
    return errc::success;
  // Others are served between two of these.
  constexpr std::size_t at_once = 1u << 18;
  const auto by_mail = [&](std::size_t done, std::size_t n) noexcept {
    return ask_owner(core, at, request(done, n), reads ? sent + done : nullptr, reads ? n : 0,
                     replied == nullptr ? nullptr : replied + done, replied == nullptr ? 0 : n);
  };
  const errc e = transport::in_pieces(
      a.n * element, at_once / element * element, [&](std::size_t done, std::size_t n) noexcept {
        errc far = errc::system;
        if (reads && !at.in_device_memory)
          far = ask_owner_far(core, at, request(done, n), sent + done, n,
                              replied == nullptr ? nullptr : replied + done);
        if (far != errc::system) return far;
        return transport::in_pieces(n, sync::mail_payload / element * element,
                                    [&](std::size_t more, std::size_t some) noexcept {
                                      return by_mail(done + more, some);
                                    });
      });
  return latched(core, e, at.owner, an_atomic);
}

errc swap_by_mail(window_core& core, const target& at, const swap& s) noexcept {
  const swap_operands both(s);
  const am_request m = make_request(am_kind::compare_swap, at, 0, 0, s.bytes);
  return latched(core, ask_owner(core, at, m, both.data(), both.bytes(), s.result, s.bytes),
                 at.owner, an_atomic);
}

constinit const route routes::owner_mail = refine(mail_route, [](route& r) {
  r.name = "owner_mail";
  r.probe = probe_owner_mail;
});

}  // namespace oriel::win
