// How packets are waited for, and what becomes known then: their results, and failures.
#include <utility>

#include "sync/limited_watch.hpp"
#include "win/route/packet_stream.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

using transport::pending_ops;

// In one's turn. Nobody else waits for `ops`, since the stream is busy.
errc packet_streams::outcome_of(stream& s, pending_ops& ops,
                                const sync::peer_watch& watch) noexcept {
  if (!ops.idle()) {
    const absence away(*this, s);
    static_cast<void>(fabric_->wait(ops, world(s.server), watch));
  }
  return ops.take_failure();
}

// The results of the oldest packet are usable afterwards.
void packet_streams::retire(stream& s, const sync::peer_watch& watch) noexcept {
  returning& oldest = *s.under_way.front();
  const errc e = outcome_of(s, oldest.ops, watch);
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
  s.fail(outcome_of(s, s.sent, watch()), rank{s.server});
  while (!s.under_way.empty()) retire(s, watch());
}

void packet_streams::settle(stream& s) noexcept {
  if (s.near) return settle_near(s);
  settle_sent(s);
  if (s.share) settle_shared(s);
}

bool packet_streams::is_alive(rank r) const noexcept {
  return core_.group->session().job().alive(world(r.value));
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
  until_free(s);
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
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (!streams_[i]->busy) leave_to_be_complete(*streams_[i]);
}

template <class Which>
errc packet_streams::complete_those(Which which, rank& failed) noexcept {
  const turn mine(*this);
  errc first = errc::success;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    stream& s = *streams_[i];
    const errc e = which(s) ? complete(s) : errc::success;
    if (e == errc::success || first != errc::success) continue;
    first = e;
    failed = s.failed_with;
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
