#include "win/route/kept_letter.hpp"

#include <algorithm>
#include <cstring>

#include "transport/cma.hpp"
#include "win/route/cma_pieces.hpp"
#include "win/serve/apply_request.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using sync::am_kind;
using sync::letter;

bool kept_letter::may_wait(const window_core& core, rank owner, std::size_t bytes) noexcept {
  const window_epochs& open = core.epochs;
  if (bytes > letter::most || core.routes.remote != nullptr || open.passive.any()) return false;
  if (open.pscw && open.pscw->accessing())
    return std::find(open.started.begin(), open.started.end(), owner) != open.started.end();
  return open.fence_open.load(std::memory_order_relaxed) && open.barrier->carries_letters();
}

void kept_letter::keep(rank me, rank owner, const letter& l, const void* operands) noexcept {
  any_ = true;
  owner_ = owner;
  letter_ = l;
  letter_.from = me.value;
  letter_.to = owner.value;
  std::memcpy(letter_.operands.data(), operands, l.bytes);
}

errc kept_letter::carry_out(window_core& core) noexcept {
  if (!any_) return errc::success;
  any_ = false;
  errc e = clear_letters(core, owner_);
  if (e != errc::success) return e;
  e = errc::system;
  if (letter_.kind == am_kind::put)
    e = transport::cma_write(process_of(core, owner_), letter_.address, letter_.operands.data(),
                             letter_.bytes);
  if (e == errc::system) {
    sync::am_request m;
    m.kind = letter_.kind;
    m.op = letter_.op;
    m.type = letter_.type;
    m.address = letter_.address;
    m.elements = letter_.bytes;
    if (m.kind != am_kind::put) m.elements /= static_cast<std::uint32_t>(size_of(m.type));
    e = core.routes.mailbox->ask(static_cast<int>(core.node_rank(owner_)), m,
                                 letter_.operands.data(), letter_.bytes, nullptr, 0);
  }
  return latched(core, e, owner_, letter_.kind == am_kind::put ? "put" : "an accumulate");
}

errc kept_letter::enclose(window_core& core, by way) noexcept {
  if (!any_) return errc::success;
  const bool accessing = core.epochs.pscw && core.epochs.pscw->accessing();
  if (accessing != (way == by::completion) || !may_wait(core, owner_, letter_.bytes))
    return carry_out(core);
  if (way == by::fence)
    core.epochs.barrier->enclose(letter_);
  else if (!core.epochs.pscw->enclose(letter_))
    return carry_out(core);
  any_ = false;
  return errc::success;
}

namespace {

errc apply(window_core& core, const letter& l) noexcept {
  // Another process wrote it: it reaches exposed memory or nothing.
  if (l.bytes > letter::most || (l.kind != am_kind::put && l.kind != am_kind::accumulate))
    return errc::arg;
  if (!core.memory.own_book->exposes(l.address, l.bytes, core.agreed.extent))
    return errc::rma_range;
  return apply_request(core, {.kind = l.kind,
                              .op = l.op,
                              .type = l.type,
                              .location = reinterpret_cast<std::byte*>(l.address),  // NOLINT
                              .operands = l.operands.data(),
                              .bytes = l.bytes});
}

void carry_out_here(window_core& core, const letter& received) noexcept {
  const letter l = received;
  if (const errc e = apply(core, l); e != errc::success)
    core.fail(e, std::string(l.kind == am_kind::put ? "a put" : "an accumulate") + " of rank " +
                     std::to_string(l.from) +
                     ", carried out here at the end of its epoch: it does not lie in memory that "
                     "this rank exposes and may write");
}

}  // namespace

void open_letters_of_fence(window_core& core, bool met) noexcept {
  if (!core.routes.mailbox || core.routes.remote != nullptr || !core.epochs.barrier) return;
  std::uint32_t written_to = 0;
  core.epochs.barrier->for_each_letter([&](const letter& l) noexcept {
    written_to |= 1u << static_cast<unsigned>(l.to) % 32;
    if (l.to == core.me()) carry_out_here(core, l);
  });
  // Nobody waits for an owner that may not know of its letters.
  core.epochs.letters_of_fence.store(met ? written_to : 0, std::memory_order_relaxed);
  if ((written_to >> static_cast<unsigned>(core.me()) % 32 & 1) != 0)
    core.routes.mailbox->tell_read(core.epochs.barrier->turn());
}

void open_letter_of_wait(window_core& core) noexcept {
  if (!core.routes.mailbox) return;
  const letter* const received = core.epochs.pscw->received();
  if (received == nullptr) return;
  carry_out_here(core, *received);
  core.epochs.pscw->close_letter();
}

errc clear_letters(window_core& core, rank owner) noexcept {
  const std::uint32_t written_to = core.epochs.letters_of_fence.load(std::memory_order_relaxed);
  if (written_to == 0) return errc::success;
  const std::uint32_t bit = 1u << static_cast<unsigned>(owner.value) % 32;
  if ((written_to & bit) == 0) return errc::success;
  const errc e = core.routes.mailbox->wait_read(owner.value,
                                                core.epochs.fences.load(std::memory_order_relaxed));
  if (e == errc::success) core.epochs.letters_of_fence.fetch_and(~bit, std::memory_order_relaxed);
  return latched(core, e, owner, "a small operation before the fence");
}

}  // namespace oriel::win
