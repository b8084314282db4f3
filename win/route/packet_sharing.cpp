// How streams use the packets that ranks of this node share: for what leaves early, because it is
// old or room is short, and for a flush when others have something for the same node.
#include <algorithm>

#include "sync/limited_watch.hpp"
#include "sync/system.hpp"
#include "win/route/packet_stream.hpp"
#include "win/route/posting.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using clock = sync::clock;

// So that an operation leaves in time though it is shared first.
constexpr std::chrono::microseconds shared_when{25};
// After a death, how long a share may take to be written by whoever lives.
constexpr std::chrono::milliseconds longest_write{200};

int node_of(const detail::window_core& core, rank r) noexcept {
  return core.group->node_of(r.value);
}

}  // namespace

// The stream's entries become a share. Returns false and has done nothing where that is no way.
bool packet_streams::join(stream& s) noexcept {
  using state = shared_packets::state;
  if (s.share && s.sends == nullptr && shared_packets::state_of(*s.share) == state::done)
    take_shared(s, shared_packets::outcome_of(*s.share));
  const bool nothing_of_its_own = s.sent.idle() && s.under_way.empty() && s.unanswered == 0;
  if (!s.may_share || s.entries == 0 || (!s.share && !nothing_of_its_own)) return false;
  if (s.sends != nullptr || s.shared.size() == stream::most_shares) return false;
  const auto made = shared_->join(node_of(core_, s.of), {s.buffer.get(), s.used}, s.entries,
                                  s.operations(), s.results, s.share ? s.share->in : nullptr);
  if (!made) return false;
  if (!s.share) s.shares_since = s.begun;
  s.share = made;
  if (s.awaits != nullptr) s.shared.push_back({std::move(s.awaits), *made});
  has_left(s);
  shares_.store(shares() + 1, std::memory_order_relaxed);
  return true;
}

errc packet_streams::leave_early(stream& s) noexcept {
  if (s.near) return post_near(s);
  return join(s) ? errc::success : send(s);
}

// What it waits for afterwards has left, or leaves while it waits.
void packet_streams::leave_to_be_complete(stream& s) noexcept {
  if (s.near) return s.fail(post_near(s), rank{s.server});
  if (s.may_share && s.entries != 0 &&
      (s.share || shared_->some_wait(node_of(core_, s.of), s.used, s.results)))
    join(s);
  if (s.share && s.entries == 0) {
    close_shared(s);
    send_closed(s);
    return;
  }
  s.fail(send(s), rank{s.server});
}

// --- Sending

void packet_streams::close_shared(stream& s) noexcept {
  if (s.sends != nullptr || shared_packets::state_of(*s.share) != shared_packets::state::open)
    return;
  if (!shared_packets::close(*s.share, core_.group->node_rank(core_.me()))) return;
  s.sends = s.share->in;
  s.sends_to = -1;
  s.closed = clock::now();
}

// A rank of this node has died before it has written its share.
bool packet_streams::lacks_a_writer(const stream& s) const noexcept {
  if (clock::now() - s.closed < longest_write) return false;
  const detail::team_state& group = *core_.group;
  return std::any_of(group.node_members().begin(), group.node_members().end(),
                     [&](int r) { return !group.session().job().alive(group.world_rank(r)); });
}

void packet_streams::end_shared(stream& s, errc outcome) noexcept {
  shared_packets::end_round(*std::exchange(s.sends, nullptr), outcome);
}

// Has what it has closed leave, and ends the round when that is performed. Does not wait.
void packet_streams::send_closed(stream& s) noexcept {
  if (s.sends == nullptr) return;
  if (s.sends_to >= 0) {
    if (s.sent_shared.idle()) end_shared(s, s.sent_shared.take_failure());
    return;
  }
  if (!shared_packets::is_written(*s.sends)) {
    if (lacks_a_writer(s)) end_shared(s, errc::peer_failed);
    return;
  }
  const int server = server_for(s.of);
  if (!is_alive(rank{server})) return end_shared(s, errc::peer_failed);  // it can leave no more
  const shared_packets::contents has = shared_->contents_of(*s.sends);
  const auto results = static_cast<std::uint32_t>(has.results.size());
  if (!posting(core_, *fabric_, rank{server})
           ->try_request(core_.group->world_rank(server), head_of({has.count, results}),
                         has.entries, has.results.data(), has.results.size(), s.sent_shared))
    return;
  s.sends_to = server;
  note_sent(has.operations);
  sent_for_all_.fetch_add(1, std::memory_order_relaxed);
}

// --- Waiting

bool packet_streams::sender_is_gone(const stream& s) const noexcept {
  using state = shared_packets::state;
  if (s.sends != nullptr || shared_packets::state_of(*s.share) != state::closed) return false;
  const int sender = shared_packets::sender_of(*s.share);
  const detail::team_state& group = *core_.group;
  const int there = group.node_members()[static_cast<std::size_t>(sender)];
  // If the round has ended since, that was the sender of the next.
  return !group.session().job().look(group.world_rank(there)) &&
         shared_packets::state_of(*s.share) != state::done;
}

// Requires: the stream is busy for the caller.
errc packet_streams::await_shared(stream& s) noexcept {
  const auto done = [this, &s] {
    close_shared(s);
    send_closed(s);
    return s.sends == nullptr && shared_packets::state_of(*s.share) == shared_packets::state::done;
  };
  const sync::conditional_watch watch(*core_.epochs.watch,
                                      [this, &s] { return sender_is_gone(s); });
  // The bell shows what others do. What this process sends ends with a message.
  const errc e = done()               ? errc::success
                 : s.sends != nullptr ? fabric_->wait_for(done, watch)
                                      : fabric_->wait_for(done, watch, s.share->in->bell);
  if (e == errc::success || s.sends == nullptr) return e;
  if (s.sends_to >= 0) {
    const sync::limited_watch no_more(*core_.epochs.watch, std::chrono::milliseconds(0));
    static_cast<void>(fabric_->wait(s.sent_shared, world(s.sends_to), no_more));
    static_cast<void>(s.sent_shared.take_failure());
  }
  end_shared(s, e);
  return e;
}

// What it shares is complete afterwards, and its results are usable.
void packet_streams::settle_shared(stream& s) noexcept {
  const auto wait = [&] {
    const absence away(*this, s);
    return await_shared(s);
  };
  const errc waited = wait();
  take_shared(s, waited == errc::success ? shared_packets::outcome_of(*s.share) : waited);
}

void packet_streams::take_shared(stream& s, errc outcome) noexcept {
  for (shared_results& one : s.shared) {
    returning& results = *one.takes;
    if (outcome == errc::success) {
      results.deliver(shared_->results_of(one.from));
      shared_packets::took_results(one.from);
    }
    results.clear();
    idle_returning_.push_back(std::move(one.takes));
  }
  s.shared.clear();
  s.share.reset();
  s.fail(outcome, any_rank);
}

// Returns whether it is to be called again for this stream.
bool packet_streams::tick_shared(stream& s, clock::time_point now) noexcept {
  using state = shared_packets::state;
  send_closed(s);
  if (s.share && s.sends == nullptr && shared_packets::state_of(*s.share) == state::done)
    take_shared(s, shared_packets::outcome_of(*s.share));
  if (s.entries != 0 && now - s.begun >= shared_when) join(s);
  if (!s.share) return false;
  if (now - s.shares_since >= oldest_packet) {
    close_shared(s);
    send_closed(s);
  }
  return s.sends != nullptr || shared_packets::state_of(*s.share) == state::open;
}

}  // namespace oriel::win
