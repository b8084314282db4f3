#include "win/serve_mail.hpp"

#include <cstring>

#include "atomics/kernels.hpp"

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
  atomics::stripes* const stripes = core.stripes ? &*core.stripes : nullptr;
  switch (m.kind) {
    case mail_kind::put:
      std::memcpy(place, s.request.data(), bytes);
      return errc::success;
    case mail_kind::get:
      std::memcpy(s.reply.data(), place, bytes);
      return errc::success;
    case mail_kind::accumulate:
    case mail_kind::get_accumulate: {
      const auto kernel = atomics::accumulate_kernel(m.op, m.type, atomics::kernel_mode::atomic);
      if (kernel == nullptr) return errc::op;
      return kernel(place, s.request.data(),
                    m.kind == mail_kind::get_accumulate ? s.reply.data() : nullptr, m.elements,
                    stripes, key_of(core, place));
    }
    case mail_kind::compare_swap: {
      const auto kernel = atomics::compare_swap_kernel(bytes);
      if (kernel == nullptr) return errc::type;
      return kernel(place, s.request.data(), s.request.data() + bytes, s.reply.data(), stripes,
                    key_of(core, place));
    }
  }
  return errc::arg;
}

}  // namespace

void serve_mail(window_core& core) noexcept {
  core.mailbox->serve_pending(
      [&core](transport::mailbox::slot& s) noexcept { s.letter.outcome = apply(core, s); });
}

std::uint64_t key_of(const window_core& core, const std::byte* place) noexcept {
  return core.node_memory().offset_of(place, 1).value_or(reinterpret_cast<std::uintptr_t>(place));
}

}  // namespace oriel::win
