#include "win/serve_mail.hpp"

#include "win/apply_request.hpp"

namespace oriel::win {
namespace {

using detail::window_core;
using transport::mail;
using transport::mail_kind;

std::size_t bytes_of(const mail& m) noexcept {
  switch (m.kind) {
    case mail_kind::accumulate:
    case mail_kind::get_accumulate:
      return m.elements * size_of(m.type);
    default:
      return m.elements;
  }
}

errc apply(window_core& core, transport::mailbox::slot& s) noexcept {
  const mail& m = s.letter;
  const std::size_t bytes = bytes_of(m);
  // Another process wrote the letter: it reaches exposed memory or nothing.
  if (bytes > transport::mail_payload || !core.own_book->exposes(m.address, bytes, core.extent))
    return errc::rma_range;
  auto* const place = reinterpret_cast<std::byte*>(m.address);  // NOLINT: checked just above
  return apply_request(core,
                       {m.kind, m.op, m.type, place, s.request.data(), s.reply.data(), bytes});
}

}  // namespace

void serve_mail(window_core& core) noexcept {
  core.mailbox->serve_pending(
      [&core](transport::mailbox::slot& s) noexcept { s.letter.outcome = apply(core, s); });
}

}  // namespace oriel::win
