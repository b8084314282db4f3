// What a rank of another node attaches: remote reads and writes, once its owner has told where it
// is.
#include "win/route/known_routes.hpp"
#include "win/route/remote.hpp"

namespace oriel::win {
namespace {

offer probe_attached(assertion_set promised, const peer_facts& peer) noexcept {
  return !peer.same_node && promised.has(assertion::attach) && peer.rma
             ? offer{50,
                     "assertion::attach: the owner, on another node, tells where its memory is "
                     "when "
                     "it is first accessed"}
             : offer{};
}

}  // namespace

constinit const route routes::attached =
    remote_route<&remote_window::put_attached, &remote_window::get_attached>("attached",
                                                                             probe_attached);

// The origin's half.

// A write that is not complete before it is read back has no place to read at.
errc remote_window::put_attached(rank r, std::uint64_t at, const void* from, std::size_t bytes,
                                 pending_ops* also) noexcept {
  if (fabric_.how() != transport::completion::delivery)
    return put_by_owner(r, at, from, bytes, also);
  return by_place(
      r, at, bytes,
      [&](const transport::remote_place& there, pending_ops& ops) noexcept {
        return carrying(core_, fabric_, r)
            ->put(there, from, bytes, bytes <= transport::most_kept, ops, also);
      },
      [&]() noexcept { return put_by_owner(r, at, from, bytes, also); });
}

errc remote_window::get_attached(rank r, std::uint64_t at, void* to, std::size_t bytes,
                                 pending_ops* also) noexcept {
  return by_place(
      r, at, bytes,
      [&](const transport::remote_place& there, pending_ops& ops) noexcept {
        return carrying(core_, fabric_, r)->get(there, to, bytes, ops, also);
      },
      [&]() noexcept { return get_by_owner(r, at, to, bytes, also); });
}

// `remotely` where the place is known, or its owner tells it, else `through_owner`.
template <class Remotely, class ThroughOwner>
errc remote_window::by_place(rank r, std::uint64_t at, std::size_t bytes, Remotely remotely,
                             ThroughOwner through_owner) noexcept {
  target_state* const t = state_of(r);
  if (t == nullptr || t->told == nullptr) return errc::no_mem;
  for (bool asked = false;; asked = true) {
    const std::uint64_t forgotten = t->told->forgotten();
    auto known = told_places::known::nothing;
    {
      const access begun(t->told->under_way, t->revoked);
      told_place place;
      known = t->told->find(at, bytes, place);
      if (known == told_places::known::reached_remotely) {
        if (begun.refused()) return errc::rma_sync;
        return remotely({world(r), place.ticket.base + (at - place.first), place.ticket.key},
                        t->told->under_way);
      }
    }
    if (asked || known == told_places::known::reached_by_owner) return through_owner();
    if (const errc e = ask_where(r, *t, at, bytes, forgotten); e != errc::success) return e;
  }
}

// That nothing is there the operation itself reports, when it comes to its owner.
errc remote_window::ask_where(rank r, target_state& t, std::uint64_t at, std::size_t bytes,
                              std::uint64_t forgotten) noexcept {
  told_place told;
  const errc e =
      ask(r, head(remote_call::locate, locate_request{at, bytes}), {}, &told, sizeof told);
  if (e != errc::success) return e == errc::rma_range ? errc::success : e;
  if (told.bytes == 0) return errc::success;
  try {
    // Whoever has been told must serve the owner that detaches.
    if (told.is_registered != 0 && !needs_agent_ && !was_told_.exchange(true))
      fabric_.start_agent();
  } catch (const std::exception&) {
    return errc::success;
  }
  t.told->remember(told, forgotten);
  return errc::success;
}

}  // namespace oriel::win
