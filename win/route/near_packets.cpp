// Packets for private memory of this node. Its owner performs them as it does those of other nodes:
// it finds them on the node's board (sync/packet_board.hpp), in room that both map. While it
// performs one, the next is filled.
#include <cstring>
#include <utility>

#include "session/team/node_service.hpp"
#include "sync/system.hpp"
#include "win/route/packet_stream.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

bool packet_streams::is_near(rank r) const noexcept {
  return !core_.routes.to(r).tracked;
}

void packet_streams::give_back(std::unique_ptr<returning> one) noexcept {
  if (one == nullptr) return;
  one->clear();
  idle_returning_.push_back(std::move(one));
}

// --- Leaving

// Where there is no memory for more, packets under way have all the room. Others have turns
// meanwhile: the caller looks again. Fails where owners keep it that have been waited for in vain.
errc packet_streams::await_near_room(stream& s) noexcept {
  const auto gives_back = [this](stream& from) {
    const std::size_t before = from.near && !from.busy ? from.outbox->under_way() : 0;
    if (before == 0) return false;
    settle_oldest(from);
    return from.outbox->under_way() < before;
  };
  if (gives_back(s)) return errc::success;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (gives_back(*streams_[i])) return errc::success;
  for (const auto& one : streams_) {
    if (!one->busy) continue;
    until_free(*one);
    return errc::success;
  }
  return errc::no_mem;
}

// The stream's packet is under way afterwards. Requires: a note is free.
void packet_streams::post_in(stream& s, request_room::turn room) noexcept {
  std::memcpy(room.operands().data(), s.buffer.get(), s.used);
  const sync::packet_note note{
      .place = room.names().operands,
      .head = noted_packet{s.entries, static_cast<std::uint32_t>(s.results)}.packed(),
      .bytes = static_cast<std::uint32_t>(s.used)};
  near_packet& p = s.posted[s.outbox->next()];
  p.takes = std::move(s.awaits);
  p.room = std::move(room);
  s.outbox->post(note);
  note_sent(s.operations());
  has_left(s);
}

// In one's turn, which others have while a note or room is waited for. The packet is lost where it
// fails.
errc packet_streams::post_near(stream& s) noexcept {
  for (;;) {
    until_free(s);
    if (s.entries == 0) return errc::success;
    errc e = errc::success;
    if (s.outbox->full()) {
      settle_oldest(s);
      if (s.outbox->full()) e = errc::timed_out;
    } else if (request_room::turn room = near_rooms_.take()) {
      post_in(s, std::move(room));
      return errc::success;
    } else {
      e = await_near_room(s);
    }
    if (e == errc::success) continue;
    give_back(std::move(s.awaits));
    has_left(s);
    return e;
  }
}

// What travels alone does not pass the stream's packets: they are complete on return.
errc packet_streams::send_near(stream& s) noexcept {
  const errc e = post_near(s);
  settle_near(s);
  return e == errc::success ? std::exchange(s.failed, errc::success) : e;
}

// --- Being performed

// The note is free again.
void packet_streams::end_near(stream& s, std::size_t which, errc outcome) noexcept {
  near_packet& p = s.posted[which];
  s.fail(outcome, rank{s.server});
  if (p.takes != nullptr && outcome == errc::success) p.takes->deliver(p.room.results());
  give_back(std::move(p.takes));
  p.room = {};
}

// In one's turn, which others have meanwhile. A time-out is waited for once, however many packets
// it strikes; nobody waits for what its owner performs after that.
void packet_streams::settle_oldest(stream& s) noexcept {
  std::array<std::optional<errc>, sync::packet_board::at_once> ended;
  const noted_wait noted(core_, wait_cause::completion, rank{s.server});
  const auto settle = [&] {
    const absence away(*this, s);
    return s.outbox->settle(s.failed != errc::timed_out,
                            [&](std::size_t which, errc e) { ended[which] = e; });
  };
  const errc e = settle();
  for (std::size_t which = 0; which < ended.size(); ++which)
    if (ended[which]) end_near(s, which, *ended[which]);
  if (e != errc::timed_out) return;
  s.fail(e, rank{s.server});
  for (near_packet& p : s.posted) give_back(std::move(p.takes));
}

void packet_streams::settle_near(stream& s) noexcept {
  std::size_t before = sync::packet_board::at_once + 1;
  while (s.outbox->under_way() != 0 && s.outbox->under_way() < before) {
    before = s.outbox->under_way();
    settle_oldest(s);
  }
}

void packet_streams::tick_near_soon() const noexcept {
  if (sessions::node_service* const server = core_.group->session().job().server())
    server->serve_soon();
}

// In one's turn, and without waiting. Returns whether something is left.
bool packet_streams::tick_near(stream& s, sync::clock::time_point now) noexcept {
  while (s.outbox->is_oldest_performed())
    s.outbox->settle(true, [&](std::size_t which, errc e) { end_near(s, which, e); });
  s.outbox->wake_owner();
  const bool is_old = s.entries != 0 && now - s.begun >= oldest_packet;
  if (is_old && !s.outbox->full())
    if (request_room::turn room = near_rooms_.take()) post_in(s, std::move(room));
  // What its owner has taken and not performed in time is settled with the stream's next packet.
  return s.entries != 0 || (s.outbox->under_way() != 0 && s.failed != errc::timed_out);
}

}  // namespace oriel::win
