#include "win/serve/serve_mail.hpp"

#include <algorithm>

#include "sync/put_list.hpp"
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

std::byte* location_of(std::uint64_t address) noexcept {
  return reinterpret_cast<std::byte*>(address);  // NOLINT: it is exposed
}

errc apply_list(window_core& core, const std::byte* list, std::size_t bytes) noexcept {
  if (bytes > sync::mail_payload) return errc::rma_range;
  // One look into the book where all that lies around them is exposed. It is taken here, since the
  // other process may change the list.
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  static_cast<void>(sync::put_list::for_each(
      list, bytes, [&](std::uint64_t to, const std::byte*, std::size_t n) noexcept {
        begin = std::min(begin, to);
        end = std::max(end, to + n);
        return errc::success;
      }));
  const auto& book = *core.memory.own_book;
  const std::uint64_t extent = core.agreed.extent;
  const bool all = begin < end && book.exposes(begin, end - begin, extent);
  return sync::put_list::for_each(
      list, bytes, [&](std::uint64_t to, const std::byte* from, std::size_t n) noexcept {
        const bool known = all && to >= begin && to <= end && n <= end - to;
        if (!known && !book.exposes(to, n, extent)) return errc::rma_range;
        return apply_request(
            core,
            {.kind = am_kind::put, .location = location_of(to), .operands = from, .bytes = n});
      });
}

errc apply(window_core& core, sync::mailbox::slot& s) noexcept {
  const am_request& m = s.head;
  if (m.kind == am_kind::put_list) return apply_list(core, s.large_request.data(), m.elements);
  const std::size_t bytes = bytes_of(m);
  // Another process wrote the request: it reaches exposed memory or nothing.
  if (room_of(m, bytes) > s.most() ||
      !core.memory.own_book->exposes(m.address, bytes, core.agreed.extent))
    return errc::rma_range;
  return apply_request(
      core, {m.kind, m.op, m.type, location_of(m.address), s.request(), s.reply(), bytes});
}

}  // namespace

void serve_mail(window_core& core) noexcept {
  core.routes.mailbox->serve_pending(
      [&core](sync::mailbox::slot& s) noexcept { s.head.outcome = apply(core, s); });
}

}  // namespace oriel::win
