#include "win/route/owner_mail.hpp"

#include <cstring>

#include "transport/pieces.hpp"
#include "win/route/known_routes.hpp"
#include "win/slots/target.hpp"
#include "win/statistics/noted_wait.hpp"
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
      return peer.openable ? "its device memory cannot be opened here"
                           : "its device memory cannot be opened by other processes";
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
  const noted_wait noted(core, wait_cause::completion, at.owner);
  if (const errc e = clear_way(core, at.owner); e != errc::success) return e;
  return core.routes.mailbox->ask(static_cast<int>(core.node_rank(at.owner)), m, sent, bytes,
                                  replied, reply_bytes);
}

errc ask_owner_near(window_core& core, const target& at, am_request m,
                    const request_room::turn& room, void* replied,
                    std::size_t reply_bytes) noexcept {
  m.is_near = true;
  const sync::named_operands names = room.names();
  const errc e = ask_owner(core, at, m, &names, sizeof names, nullptr, 0);
  if (e == errc::success && reply_bytes != 0) std::memcpy(replied, room.results(), reply_bytes);
  return e;
}

errc ask_owner_near(window_core& core, const target& at, const am_request& m, const void* sent,
                    std::size_t bytes, void* replied, std::size_t reply_bytes) noexcept {
  const request_room::turn room = core.routes.room->take();
  if (!room) return errc::system;
  if (bytes != 0) std::memcpy(room.operands().data(), sent, bytes);
  return ask_owner_near(core, at, m, room, replied, reply_bytes);
}

errc ask_owner_far(window_core& core, const target& at, am_request m, const void* operands,
                   std::size_t bytes, void* results) noexcept {
  constexpr std::size_t worth_a_system_call = 1024;  // of the owner's
  std::atomic<bool>& refused = core.routes.far_refused;
  if (bytes < worth_a_system_call || refused.load(std::memory_order_relaxed)) return errc::system;
  m.is_far = true;
  const sync::named_operands here{reinterpret_cast<std::uintptr_t>(operands),
                                  reinterpret_cast<std::uintptr_t>(results)};
  const errc e = ask_owner(core, at, m, &here, sizeof here, nullptr, 0);
  if (e == errc::system) refused.store(true, std::memory_order_relaxed);
  return e;
}

namespace {

// Asks for `bytes` bytes in pieces of whole elements, each through the room or else in mails.
// `request(done, n)` makes the request for n of them.
template <class Request>
errc ask_in_pieces(window_core& core, const target& at, std::size_t bytes, std::size_t element,
                   const std::byte* sent, std::byte* replied, Request request) noexcept {
  const auto part = [](auto* all, std::size_t done) noexcept {
    return all == nullptr ? nullptr : all + done;
  };
  const auto each_way = [](const void* p, std::size_t n) noexcept { return p == nullptr ? 0 : n; };
  return transport::in_pieces(
      bytes, request_room::bytes / element * element,
      [&](std::size_t done, std::size_t n) noexcept {
        const std::byte* const from = part(sent, done);
        std::byte* const to = part(replied, done);
        if (n > sync::mail_payload) {
          const errc e = ask_owner_near(core, at, request(done, n), from, each_way(from, n), to,
                                        each_way(to, n));
          if (e != errc::system) return e;
        }
        return transport::in_pieces(n, sync::mail_payload / element * element,
                                    [&](std::size_t more, std::size_t some) noexcept {
                                      return ask_owner(core, at, request(done + more, some),
                                                       part(from, more), each_way(from, some),
                                                       part(to, more), each_way(to, some));
                                    });
      });
}

}  // namespace

errc put_by_mail(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
                 std::size_t bytes, tracker*) noexcept {
  const errc e = ask_in_pieces(core, at, bytes, 1, static_cast<const std::byte*>(from), nullptr,
                               [&](std::size_t done, std::size_t n) noexcept {
                                 return make_request(am_kind::put, at, offset, done, n);
                               });
  return latched(core, e, at.owner, "put");
}

errc get_by_mail(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
                 std::size_t bytes, tracker*) noexcept {
  const errc e = ask_in_pieces(core, at, bytes, 1, nullptr, static_cast<std::byte*>(to),
                               [&](std::size_t done, std::size_t n) noexcept {
                                 return make_request(am_kind::get, at, offset, done, n);
                               });
  return latched(core, e, at.owner, "get");
}

errc accumulate_by_mail(window_core& core, const target& at, std::ptrdiff_t offset,
                        const accumulation& a, tracker*) noexcept {
  const std::size_t element = size_of(a.type);
  const bool reads = a.op != atomic_op::no_op;
  const auto* const sent = reads ? static_cast<const std::byte*>(a.operands) : nullptr;
  auto* const replied = static_cast<std::byte*>(a.results);
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
  const errc e = transport::in_pieces(
      a.n * element, at_once / element * element, [&](std::size_t done, std::size_t n) noexcept {
        errc far = errc::system;
        if (reads && !at.in_device_memory && core.routes.room->in_use())
          far = ask_owner_far(core, at, request(done, n), sent + done, n,
                              replied == nullptr ? nullptr : replied + done);
        if (far != errc::system) return far;
        return ask_in_pieces(core, at, n, element, sent == nullptr ? nullptr : sent + done,
                             replied == nullptr ? nullptr : replied + done,
                             [&](std::size_t more, std::size_t some) noexcept {
                               return request(done + more, some);
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
