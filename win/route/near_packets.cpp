// Packets for private memory of this node. Its owner performs them as it does those of other nodes,
// asked by mail: a short one in the mail itself, others in room that both map.
#include <algorithm>
#include <cstring>
#include <utility>

#include "sync/system.hpp"
#include "win/route/owner_mail.hpp"
#include "win/route/packet_stream.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

bool packet_streams::is_near(rank r) const noexcept {
  return !core_.routes.to(r).tracked;
}

// Where there is no memory for more, until another thread's packet is performed.
request_room::turn packet_streams::take_near_room() noexcept {
  for (;;) {
    request_room::turn room = near_rooms_.take();
    if (room) return room;
    if (fabric_ != nullptr) fabric_->progress();
    sync::wait_ladder::yield();
  }
}

// `results` has room for the packet's.
errc packet_streams::ask_near(const stream& s, std::uint32_t entries, std::byte* results) noexcept {
  sync::am_request m;
  m.kind = sync::am_kind::packet;
  m.elements = static_cast<std::uint32_t>(s.used);
  m.address = mailed_packet{entries, static_cast<std::uint32_t>(s.results)}.packed();
  const target owner{.owner = s.of};
  if (std::max(s.used, s.results) <= sync::mail_payload)
    return ask_owner(core_, owner, m, s.buffer.get(), s.used, results, s.results);
  const request_room::turn room = take_near_room();
  std::memcpy(room.operands().data(), s.buffer.get(), s.used);
  return ask_owner_near(core_, owner, m, room, results, s.results);
}

errc packet_streams::send_near(stream& s) noexcept {
  if (s.entries == 0) return errc::success;
  const std::uint32_t entries = std::exchange(s.entries, 0), operations = entries - s.more_entries;
  std::unique_ptr<returning> back = std::move(s.awaits);
  std::byte* const results = back == nullptr ? nullptr : back->results();
  const auto ask = [&] {
    const absence away(*this, s);
    return ask_near(s, entries, results);
  };
  const errc e = ask();
  if (e == errc::success) note_sent(operations);
  if (back != nullptr) {
    if (e == errc::success) back->deliver(results);
    back->clear();
    idle_returning_.push_back(std::move(back));
  }
  has_left(s);
  return e;
}

}  // namespace oriel::win
