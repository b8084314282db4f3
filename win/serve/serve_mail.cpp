#include "win/serve/serve_mail.hpp"

#include "win/serve/apply_request.hpp"

namespace oriel::win {
namespace {

using detail::window_core;
using sync::am_kind;
using sync::am_request;

std::size_t bytes_of(const am_request& m) noexcept {
  switch (m.kind) {
    case am_kind::accumulate:
    case am_kind::get_accumulate:
      return m.elements * size_of(m.type);
    default:
      return m.elements;
  }
}

// What the longer of its two ways carries.
std::size_t room_of(const am_request& m, std::size_t bytes) noexcept {
  const bool nothing = m.kind == am_kind::accumulate && m.op == atomic_op::no_op;
  return nothing ? 0 : m.kind == am_kind::compare_swap ? 2 * bytes : bytes;
}

errc apply(window_core& core, sync::mailbox::slot& s) noexcept {
  const am_request& m = s.head;
  const std::size_t bytes = bytes_of(m);
  // Another process wrote the request: it reaches exposed memory or nothing.
  if (room_of(m, bytes) > s.most() ||
      !core.memory.own_book->exposes(m.address, bytes, core.agreed.extent))
    return errc::rma_range;
  auto* const location = reinterpret_cast<std::byte*>(m.address);  // NOLINT: checked just above
  return apply_request(core, {m.kind, m.op, m.type, location, s.request(), s.reply(), bytes});
}

}  // namespace

void serve_mail(window_core& core) noexcept {
  core.routes.mailbox->serve_pending(
      [&core](sync::mailbox::slot& s) noexcept { s.head.outcome = apply(core, s); });
}

}  // namespace oriel::win
