// Packets for private memory of this node. Its owner performs them as it does those of other nodes,
// asked by mail: a short one in the mail itself, others in room that both map.
#include <algorithm>
#include <cstring>

#include "win/route/owner_mail.hpp"
#include "win/route/packet_stream.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

bool packet_streams::is_near(rank r) const noexcept {
  return !core_.routes.to(r).tracked;
}

// `results` has room for the packet's.
errc packet_streams::ask_near(const stream& s, std::byte* results) noexcept {
  sync::am_request m;
  m.kind = sync::am_kind::packet;
  m.elements = static_cast<std::uint32_t>(s.used);
  m.address = mailed_packet{s.entries, static_cast<std::uint32_t>(s.results)}.packed();
  const target owner{.owner = s.of};
  if (std::max(s.used, s.results) <= sync::mail_payload)
    return ask_owner(core_, owner, m, s.buffer.get(), s.used, results, s.results);
  const request_room::turn room = near_room_.take();
  std::memcpy(room.operands().data(), s.buffer.get(), s.used);
  return ask_owner_near(core_, owner, m, room, results, s.results);
}

errc packet_streams::send_near(stream& s) noexcept {
  if (s.entries == 0) return errc::success;
  returning* const back = s.awaits.get();
  const errc e = ask_near(s, back == nullptr ? nullptr : back->results());
  if (e == errc::success) note_sent(s.operations());
  if (back != nullptr) {
    if (e == errc::success) back->deliver(back->results());
    back->clear();
    idle_returning_.push_back(std::move(s.awaits));
  }
  has_left(s);
  return e;
}

}  // namespace oriel::win
