// How packets are filled, and leave.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "sync/system.hpp"
#include "win/route/packet_stream.hpp"
#include "win/route/posting.hpp"
#include "win/route/remote_call.hpp"
#include "win/statistics/count.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using transport::pending_ops;

packet_sizes packet_streams::sizes() const noexcept {
  return {core_.agreed.extent, core_.operations.calls};
}

// --- Filling

// The streams that nobody waits on behalf of; null: none of them is such a one.
template <class Which>
packet_streams::stream* packet_streams::find_free(Which which) const noexcept {
  for (const auto& s : streams_)
    if (!s->busy && which(*s)) return s.get();
  return nullptr;
}

packet_streams::stream* packet_streams::find_busy() const noexcept {
  for (const auto& s : streams_)
    if (s->busy) return s.get();
  return nullptr;
}

// Buffers take half of the memory. Where there is none left, another stream's packet leaves. The
// caller looks again, whether there is one now.
errc packet_streams::take_buffer(stream& s) noexcept {
  if (bytes_ + packet_bytes <= most_bytes_ / 2 || bytes_ == 0) {
    s.buffer.reset(new (std::nothrow) std::byte[packet_bytes]);
    if (s.buffer == nullptr) return errc::no_mem;
    bytes_ += packet_bytes;
    return errc::success;
  }
  const noted_wait noted(core_, wait_cause::room);
  for (std::size_t tried = 0; tried < streams_.size(); ++tried) {
    stream& victim = *streams_[next_victim_++ % streams_.size()];
    if (victim.busy || victim.buffer == nullptr) continue;
    victim.fail(leave_early(victim), rank{victim.server});
    const bool may_take = !victim.busy && victim.entries == 0 && !s.busy && s.buffer == nullptr;
    if (may_take) s.buffer = std::move(victim.buffer);
    return errc::success;
  }
  if (stream* const busy = find_busy()) until_free(*busy);
  return errc::success;
}

// So that each stream may fill one packet while the results of another are on their way, however
// many streams there are.
std::size_t packet_streams::room_for_results() const noexcept {
  const std::size_t each = most_bytes_ / 2 / (2 * std::max<std::size_t>(streams_.size(), 1));
  return std::clamp(std::bit_floor(each / 2), longest_in_packet, packet_bytes);
}

// Those that were made when there were fewer streams are too large.
std::unique_ptr<packet_streams::returning> packet_streams::take_returning() noexcept {
  const std::size_t room = room_for_results();
  while (!idle_returning_.empty()) {
    auto one = std::move(idle_returning_.back());
    idle_returning_.pop_back();
    if (one->room() <= room) return one;
    returning_bytes_ -= one->bytes();
    --returnings_;
  }
  try {
    auto made = std::make_unique<returning>(room);
    if (returning_bytes_ + made->bytes() > most_bytes_ / 2 && returnings_ != 0) return nullptr;
    idle_returning_.reserve(returnings_ + 1);  // all may be idle at once
    returning_bytes_ += made->bytes();
    ++returnings_;
    return made;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Room comes with the oldest results; there is no memory where none are under way. Likewise.
errc packet_streams::await_results(stream& s) noexcept {
  s.awaits = take_returning();
  if (s.awaits != nullptr) return errc::success;
  const noted_wait noted(core_, wait_cause::room);
  if (stream* const one = find_free([](const stream& t) { return !t.under_way.empty(); }))
    retire(*one, *core_.epochs.watch);
  else if (stream* const asking =
               find_free([](const stream& t) { return t.near && t.outbox->under_way() != 0; }))
    settle_oldest(*asking);
  else if (stream* const sharing = find_free([](const stream& t) { return !t.shared.empty(); }))
    settle_shared(*sharing);
  else if (stream* const filling = find_free([](const stream& t) { return t.awaits != nullptr; }))
    filling->fail(send(*filling), rank{filling->server});
  else if (stream* const busy = find_busy())
    until_free(*busy);
  else
    return errc::no_mem;
  return errc::success;
}

// Returns false if something was begun before it.
bool packet_streams::note_begun(stream& s) noexcept {
  if (std::exchange(s.counted, true)) return false;
  core_.hot.pending.fetch_add(1, std::memory_order_relaxed);
  return true;
}

errc packet_streams::start_packet(stream& s) noexcept {
  note_begun(s);
  if (s.near) {
    const absence away(*this, s);
    if (const errc e = clear_way(core_, s.of); e != errc::success) return e;
    tick_near_soon();
  } else {
    fabric_->tick_soon();
  }
  s.begun = sync::clock::now();
  return errc::success;
}

errc packet_streams::make_room(stream& s, packet_kind kind) noexcept {
  for (;;) {
    until_free(s);
    const bool fits = s.used + sizeof(std::uint64_t) + kind.given <= packet_bytes;
    const bool returns =
        kind.taken == 0 || s.awaits == nullptr || s.awaits->takes(kind.taken, s.results);
    errc e = errc::success;
    if (s.entries != 0 && !(fits && returns))
      e = send_full(s);
    else if (s.buffer == nullptr)
      e = take_buffer(s);
    else if (kind.taken != 0 && s.awaits == nullptr)
      e = await_results(s);
    else
      break;
    if (e != errc::success) return e;
  }
  return s.entries == 0 ? start_packet(s) : errc::success;
}

// --- Leaving

transport::message_head packet_streams::head_of(const packet_request& of) const noexcept {
  transport::message_head h;
  h.addressee = core_.agreed.id;
  h.call = static_cast<std::uint8_t>(remote_call::packet);
  h.carry(of);
  return h;
}

transport::message_head packet_streams::head_of(const stream& s) const noexcept {
  return head_of({s.entries, static_cast<std::uint32_t>(s.results), s.told});
}

void packet_streams::note_sent(std::uint64_t operations) noexcept {
  count_packet(core_, operations);
}

void packet_streams::has_left(stream& s) noexcept {
  s.used = s.results = 0;
  s.entries = s.more_entries = 0;
  s.given_by = packet_kind{}.word;
}

// `attempt` posts the packet, or returns false and has done nothing.
template <class Attempt>
bool packet_streams::leave(stream& s, Attempt attempt) noexcept {
  returning* const back = s.awaits.get();
  if (back != nullptr) {
    try {
      s.under_way.push_back(std::move(s.awaits));
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  const bool asks_alone = s.entries == 0;  // for an answer
  const std::uint32_t operations = s.operations();
  if (attempt(back == nullptr ? nullptr : back->results(), back == nullptr ? s.sent : back->ops)) {
    if (!asks_alone) note_sent(operations);
    has_left(s);
    return true;
  }
  if (back != nullptr) {
    s.awaits = std::move(s.under_way.back());
    s.under_way.pop_back();
  }
  return false;
}

// Another process has not heard of those that went without an answer. What is under way to the
// dead ends here, so that it is not taken for the other's.
void packet_streams::find_living_server(stream& s) noexcept {
  if (is_alive(rank{s.server})) return;
  if (std::exchange(s.unanswered, 0) != 0) s.fail(errc::peer_failed, rank{s.server});
  settle_sent(s);
  s.server = server_for(s.of);
  s.tells = false;
  s.told = 0;
}

errc packet_streams::send(stream& s) noexcept {
  until_free(s);
  if (s.near) return send_near(s);
  if (s.share) settle_shared(s);  // what is shared comes first
  find_living_server(s);
  if (s.entries == 0 && s.unanswered == 0) return errc::success;
  errc e = errc::no_mem;
  const bool left = leave(s, [&](std::byte* results, pending_ops& ops) noexcept {
    const transport::message_head head = head_of(s);
    s.entries = 0;
    const absence away(*this, s);
    e = posting(core_, *fabric_, rank{s.server})
            ->request(world(s.server), head, {s.buffer.get(), s.used}, results, s.results, ops);
    return e == errc::success;
  });
  s.unanswered = 0;
  if (left) return errc::success;
  if (s.awaits != nullptr) s.awaits->clear();  // lost, as the rest of the packet
  has_left(s);
  return e;
}

errc packet_streams::send_full(stream& s) noexcept {
  if (s.near) return post_near(s);
  const bool tells = s.tells && !s.share && s.entries != 0 && s.awaits == nullptr &&
                     s.unanswered < stream::most_unanswered && is_alive(rank{s.server});
  if (!tells) return send(s);
  const transport::message_head head = head_of(s);
  const std::uint32_t operations = s.operations();
  s.entries = 0;
  const auto tell = [&] {
    const absence away(*this, s);
    return posting(core_, *fabric_, rank{s.server})
        ->tell(world(s.server), head, {s.buffer.get(), s.used});
  };
  const errc e = tell();
  if (e == errc::success) {
    note_sent(operations);
    ++s.told;
    ++s.unanswered;
  }
  has_left(s);
  fabric_->progress();  // who floods serves, so that the agent need not take turns with it
  return e;
}

errc packet_streams::send_list(std::uint64_t list, rank& failed) noexcept {
  errc first = errc::success;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    stream& s = *streams_[i];
    if (s.near && !s.busy && s.list >= list) s.fail(post_near(s), rank{s.server});
  }
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    stream& s = *streams_[i];
    const errc e = s.list < list ? errc::success : send(s);
    if (e == errc::success || first != errc::success) continue;
    first = e;
    failed = rank{s.server};
  }
  return first;
}

bool packet_streams::tick() noexcept {
  if (taken_.exchange(true, std::memory_order_acquire)) return true;
  bool any = false;
  const auto now = sync::clock::now();
  for (const auto& one : streams_) {
    stream& s = *one;
    any = any || s.busy;
    if (s.busy) continue;
    if (s.near) {
      any = tick_near(s, now) || any;
      continue;
    }
    if (s.may_share) any = tick_shared(s, now) || any;
    const bool is_old = s.entries != 0 && !s.share && now - s.begun >= oldest_packet;
    if (is_old && leave(s, [&](std::byte* results, pending_ops& ops) noexcept {
          return posting(core_, *fabric_, rank{s.server})
              ->try_request(world(s.server), head_of(s), {s.buffer.get(), s.used}, results,
                            s.results, ops);
        }))
      s.unanswered = 0;
    any = any || s.entries != 0;
  }
  taken_.store(false, std::memory_order_release);
  return any;
}

}  // namespace oriel::win
