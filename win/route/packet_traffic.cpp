// How packets are filled, leave, and are waited for.
#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "sync/limited_watch.hpp"
#include "sync/system.hpp"
#include "win/route/packet_stream.hpp"
#include "win/route/posting.hpp"
#include "win/route/remote_call.hpp"
#include "win/statistics/count.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using transport::pending_ops;

namespace {

int world_of(const detail::window_core& core, int r) noexcept {
  return core.group->world_rank(r);
}

}  // namespace

packet_sizes packet_streams::sizes() const noexcept {
  return {core_.agreed.extent, core_.operations.calls};
}

// --- Filling

// Buffers take half of the memory. Where there is none left, another stream's packet leaves.
errc packet_streams::take_buffer(stream& s) noexcept {
  if (bytes_ + packet_bytes <= most_bytes_ / 2 || bytes_ == 0) {
    s.buffer.reset(new (std::nothrow) std::byte[packet_bytes]);
    if (s.buffer == nullptr) return errc::no_mem;
    bytes_ += packet_bytes;
    return errc::success;
  }
  const noted_wait noted(core_, wait_cause::room);
  for (;;) {
    stream& victim = *streams_[next_victim_++ % streams_.size()];
    if (victim.buffer == nullptr) continue;
    victim.fail(leave_early(victim), rank{victim.server});
    s.buffer = std::move(victim.buffer);
    return errc::success;
  }
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

errc packet_streams::await_results(stream& s) noexcept {
  for (;;) {
    s.awaits = take_returning();
    if (s.awaits != nullptr) return errc::success;
    // Room comes with the oldest results; there is no memory where none are under way.
    const auto busy = std::find_if(streams_.begin(), streams_.end(),
                                   [](const auto& t) { return !t->under_way.empty(); });
    if (busy != streams_.end()) {
      const noted_wait noted(core_, wait_cause::room);
      retire(**busy, *core_.epochs.watch);
      continue;
    }
    const auto sharing = std::find_if(streams_.begin(), streams_.end(),
                                      [](const auto& t) { return !t->shared.empty(); });
    if (sharing != streams_.end()) {
      settle_shared(**sharing);
      continue;
    }
    const auto filling = std::find_if(streams_.begin(), streams_.end(),
                                      [](const auto& t) { return t->awaits != nullptr; });
    if (filling == streams_.end()) return errc::no_mem;
    (*filling)->fail(send(**filling), rank{(*filling)->server});
  }
}

// Returns false if something was begun before it.
bool packet_streams::note_begun(stream& s) noexcept {
  if (std::exchange(s.counted, true)) return false;
  core_.hot.pending.fetch_add(1, std::memory_order_relaxed);
  return true;
}

errc packet_streams::open_packet(stream& s) noexcept {
  if (s.buffer == nullptr)
    if (const errc e = take_buffer(s); e != errc::success) return e;
  note_begun(s);
  if (s.near) return errc::success;
  s.begun = sync::clock::now();
  fabric_->tick_soon();
  return errc::success;
}

errc packet_streams::make_room(stream& s, const packet_kind& kind) noexcept {
  const bool fits = s.used + sizeof(std::uint64_t) + kind.given <= packet_bytes;
  const bool returns =
      kind.taken == 0 || s.awaits == nullptr || s.awaits->takes(kind.taken, s.results);
  if (!fits || !returns)
    if (const errc e = send_full(s); e != errc::success) return e;
  if (s.entries == 0)
    if (const errc e = open_packet(s); e != errc::success) return e;
  return kind.taken != 0 && s.awaits == nullptr ? await_results(s) : errc::success;
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
  if (attempt(back == nullptr ? nullptr : back->results(), back == nullptr ? s.sent : back->ops)) {
    if (s.entries != 0) note_sent(s.operations());  // or it asks for an answer alone
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
  if (core_.group->session().job().alive(world_of(core_, s.server))) return;
  if (std::exchange(s.unanswered, 0) != 0) s.fail(errc::peer_failed, rank{s.server});
  settle_sent(s);
  s.server = server_for(s.of);
  s.tells = false;
  s.told = 0;
}

errc packet_streams::send(stream& s) noexcept {
  if (s.near) return send_near(s);
  if (s.share) settle_shared(s);  // what is shared comes first
  find_living_server(s);
  if (s.entries == 0 && s.unanswered == 0) return errc::success;
  errc e = errc::no_mem;
  const bool left = leave(s, [&](std::byte* results, pending_ops& ops) noexcept {
    e = posting(core_, *fabric_, rank{s.server})
            ->request(world_of(core_, s.server), head_of(s), {s.buffer.get(), s.used}, results,
                      s.results, ops);
    return e == errc::success;
  });
  s.unanswered = 0;
  if (left) return errc::success;
  if (s.awaits != nullptr) s.awaits->clear();  // lost, as the rest of the packet
  has_left(s);
  return e;
}

errc packet_streams::send_full(stream& s) noexcept {
  const bool tells = s.tells && !s.share && s.entries != 0 && s.awaits == nullptr &&
                     s.unanswered < stream::most_unanswered &&
                     core_.group->session().job().alive(world_of(core_, s.server));
  if (!tells) return send(s);
  const errc e = posting(core_, *fabric_, rank{s.server})
                     ->tell(world_of(core_, s.server), head_of(s), {s.buffer.get(), s.used});
  if (e == errc::success) {
    note_sent(s.operations());
    ++s.told;
    ++s.unanswered;
  }
  has_left(s);
  fabric_->progress();  // who floods serves, so that the agent need not take turns with it
  return e;
}

errc packet_streams::send_all(rank& failed) noexcept {
  errc first = errc::success;
  for (const auto& s : streams_) {
    const errc e = send(*s);
    if (e == errc::success || first != errc::success) continue;
    first = e;
    failed = rank{s->server};
  }
  return first;
}

bool packet_streams::tick() noexcept {
  if (taken_.exchange(true, std::memory_order_acquire)) return true;
  bool any = false;
  const auto now = sync::clock::now();
  for (const auto& one : streams_) {
    stream& s = *one;
    if (s.near) continue;
    if (s.may_share) any = tick_shared(s, now) || any;
    const bool is_old = s.entries != 0 && !s.share && now - s.begun >= oldest_packet;
    if (is_old && leave(s, [&](std::byte* results, pending_ops& ops) noexcept {
          return posting(core_, *fabric_, rank{s.server})
              ->try_request(world_of(core_, s.server), head_of(s), {s.buffer.get(), s.used},
                            results, s.results, ops);
        }))
      s.unanswered = 0;
    any = any || s.entries != 0;
  }
  any = send_closed() || any;
  taken_.store(false, std::memory_order_release);
  return any;
}

// --- Waiting

// Requires: the caller's turn, in which alone anybody waits for `ops`.
errc packet_streams::outcome_of(pending_ops& ops, int server,
                                const sync::peer_watch& watch) noexcept {
  static_cast<void>(fabric_->wait(ops, world_of(core_, server), watch));
  return ops.take_failure();
}

// The results of the oldest packet are usable afterwards.
void packet_streams::retire(stream& s, const sync::peer_watch& watch) noexcept {
  returning& oldest = *s.under_way.front();
  const errc e = outcome_of(oldest.ops, s.server, watch);
  if (e == errc::success) {
    oldest.deliver(oldest.results());
  } else {
    s.fail(e, rank{s.server});
  }
  oldest.clear();
  idle_returning_.push_back(std::move(s.under_way.front()));
  s.under_way.pop_front();
}

// A time-out is waited for once, however many packets it strikes.
void packet_streams::settle_sent(stream& s) noexcept {
  const sync::limited_watch no_more(*core_.epochs.watch, std::chrono::milliseconds(0));
  const auto watch = [&]() -> const sync::peer_watch& {
    return s.failed == errc::timed_out ? no_more : *core_.epochs.watch;
  };
  s.fail(outcome_of(s.sent, s.server, watch()), rank{s.server});
  while (!s.under_way.empty()) retire(s, watch());
}

void packet_streams::settle(stream& s) noexcept {
  if (s.near) return;
  settle_sent(s);
  if (s.share) settle_shared(s);
}

bool packet_streams::is_alive(rank r) const noexcept {
  return core_.group->session().job().alive(world_of(core_, r.value));
}

// A rank that has died, with something in this round: its memory outlives it on its node, where
// another process goes on performing.
rank packet_streams::lost_by(const stream& s) const noexcept {
  const detail::team_state& group = *core_.group;
  if (s.near || group.session().job().losses() == 0) return any_rank;
  for (const int r : group.where().ranks_on(group.node_of(s.of.value))) {
    const known_rank& k = by_rank_[static_cast<std::size_t>(r)];
    if (k.by == &s && k.begun == s.round && !is_alive(rank{r})) return rank{r};
  }
  return any_rank;
}

errc packet_streams::complete(stream& s, rank asked) noexcept {
  const noted_wait noted(core_, wait_cause::completion, rank{s.server});
  leave_to_be_complete(s);
  settle(s);
  if (asked != any_rank && !is_alive(asked)) {
    s.fail(errc::peer_failed, asked);
    by_rank_[static_cast<std::size_t>(asked.value)].begun = 0;
  }
  const rank lost = lost_by(s);
  if (asked == any_rank && lost != any_rank) s.fail(errc::peer_failed, lost);
  core_.latch(s.failed);
  if (asked == any_rank || lost == any_rank) {
    ++s.round;
    if (std::exchange(s.counted, false)) core_.hot.pending.fetch_sub(1, std::memory_order_release);
  }
  return std::exchange(s.failed, errc::success);
}

// Null where there is none.
packet_streams::stream* packet_streams::known_stream(rank r) const noexcept {
  const auto i = static_cast<std::size_t>(r.value);
  return i >= by_rank_.size() || by_rank_[i].by == none_.get() ? nullptr : by_rank_[i].by;
}

errc packet_streams::send(rank r, rank& failed) noexcept {
  const turn mine(*this);
  stream* const s = known_stream(r);
  if (s == nullptr) return errc::success;
  const bool has_failed = s->failed != errc::success || s->sent.failure() != errc::success;
  const errc e = has_failed ? complete(*s, r) : send(*s);
  core_.latch(e);
  failed = has_failed ? s->failed_with : rank{s->server};
  return e;
}

errc packet_streams::complete(rank r, rank& failed) noexcept {
  const turn mine(*this);
  stream* const s = known_stream(r);
  if (s == nullptr) return errc::success;
  const errc e = complete(*s, r);
  failed = s->failed_with;
  return e;
}

void packet_streams::leave_to_be_complete() noexcept {
  const turn mine(*this);
  for (const auto& s : streams_) leave_to_be_complete(*s);
}

template <class Which>
errc packet_streams::complete_those(Which which, rank& failed) noexcept {
  const turn mine(*this);
  errc first = errc::success;
  for (const auto& s : streams_) {
    const errc e = which(*s) ? complete(*s) : errc::success;
    if (e == errc::success || first != errc::success) continue;
    first = e;
    failed = s->failed_with;
  }
  return first;
}

errc packet_streams::complete_all(rank& failed) noexcept {
  leave_to_be_complete();  // before the first is waited for
  return complete_those([](const stream&) { return true; }, failed);
}

errc packet_streams::complete_near(rank r, rank& failed) noexcept {
  return complete_those(
      [r](const stream& s) { return s.near && s.counted && (r == any_rank || s.of == r); }, failed);
}

void packet_streams::forget_failures() noexcept {
  const turn mine(*this);
  for (const auto& s : streams_) {
    s->failed = errc::success;
    ++s->round;
    static_cast<void>(s->sent.take_failure());
  }
}

}  // namespace oriel::win
