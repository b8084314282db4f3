// Which stream a rank's operations take.
#include "win/route/packet_streams.hpp"

#include <algorithm>
#include <new>

#include "session/aggregate_hint.hpp"
#include "win/route/packet_stream.hpp"
#include "win/statistics/noted_wait.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

packet_streams::packet_streams(detail::window_core& core, transport::fabric* way, std::byte* shared)
    : core_(core),
      fabric_(way),
      near_rooms_(core.group->session(), packet_bytes),
      attaches_(core.agreed.promised.has(assertion::attach)),
      most_bytes_(sessions::aggregate_bytes()) {
  if (shared == nullptr) return;
  shared_.emplace(shared);
  if (!shared_->exist()) shared_.reset();
}

packet_streams::~packet_streams() {
  for (const auto& s : streams_)
    for (near_packet& p : s->posted) p.room.abandon();  // its owner has not answered
}

void packet_streams::wait_for_turn() noexcept {
  do {
    if (fabric_ != nullptr) fabric_->progress();
    sync::wait_ladder::yield();
  } while (taken_.exchange(true, std::memory_order_acquire));
}

// In one's turn, which others have meanwhile.
void packet_streams::until_free(stream& s) noexcept {
  if (!s.busy.load(std::memory_order_relaxed)) [[likely]]
    return;
  const noted_wait noted(core_, wait_cause::completion, rank{s.server});
  const auto is_free = [&s] { return !s.busy.load(std::memory_order_relaxed); };
  do {
    taken_.store(false, std::memory_order_release);
    if (fabric_ != nullptr) static_cast<void>(fabric_->wait_for(is_free, *core_.epochs.watch));
    wait_for_turn();
  } while (!is_free());
}

int packet_streams::world(int r) const noexcept {
  return core_.group->world_rank(r);
}

bool packet_streams::may_travel(rank r) const noexcept {
  const place where = core_.routes.where(r);
  const bool lies_so =
      attaches_ || where == place::private_memory || (where == place::node_memory && !is_near(r));
  return lies_so && core_.routes.to(r).in_packets && !core_.agreed.plan.device &&
         core_.agreed.base.contiguous() && core_.agreed.extent <= longest_in_packet;
}

// Whether each process of the rank's node may perform what is on its memory.
bool packet_streams::any_performs(rank r) const noexcept {
  const detail::team_state& group = *core_.group;
  const bool own_alone =
      core_.agreed.promised.has_any(assertion::ordered_accumulate | assertion::ordered_replace |
                                    assertion::ordered_notify | assertion::attach);
  return !own_alone && core_.agreed.plan.remote_agent &&
         core_.routes.where(r) == place::node_memory &&
         group.where().ranks_on(group.node_of(r.value)).size() <= packet_word::most_ranks;
}

// A packet without an answer may be lost with its connection, and only a later flush finds out. A
// notification would pass it.
bool packet_streams::may_tell() const noexcept {
  return !core_.agreed.promised.has(assertion::notify);
}

// Processes of this node choose different ones of the other node. Of those that live.
int packet_streams::server_for(rank r) const noexcept {
  if (!any_performs(r)) return r.value;
  const detail::team_state& group = *core_.group;
  const std::span<const int> there = group.where().ranks_on(group.node_of(r.value));
  const auto mine = static_cast<std::size_t>(group.node_rank(core_.me()));
  for (std::size_t i = 0; i < there.size(); ++i)
    if (const int s = there[(mine + i) % there.size()];
        core_.routes.where(rank{s}) != place::private_memory &&
        group.session().job().alive(group.world_rank(s)))
      return s;
  return r.value;
}

packet_streams::stream* packet_streams::find_stream(rank r) noexcept {
  try {
    if (none_ == nullptr) none_ = std::make_unique<stream>();
    entries_ = &core_.seen_entry(rank{0});
    if (by_rank_.empty()) by_rank_.resize(static_cast<std::size_t>(core_.ranks()));
    stream*& known = by_rank_[static_cast<std::size_t>(r.value)].by;
    if (known == none_.get()) return nullptr;
    if (!may_travel(r)) {
      known = none_.get();
      return nullptr;
    }
    const bool near = is_near(r);
    // Its block stays, for any packet.
    if (near && !any_near() && !near_rooms_.take()) {
      known = none_.get();
      return nullptr;
    }
    const int server = near ? r.value : server_for(r);
    const auto found = std::find_if(streams_.begin(), streams_.end(),
                                    [server](const auto& s) { return s->server == server; });
    if (found != streams_.end()) return known = found->get();
    auto made = std::make_unique<stream>();
    made->server = server;
    made->of = r;
    made->near = near;
    if (near) made->outbox.emplace(*core_.routes.board, static_cast<int>(core_.node_rank(r)));
    if (near) any_near_.store(true, std::memory_order_relaxed);
    made->tells = !near && may_tell();
    made->may_share = !near && shared_.has_value() && any_performs(r);
    if (made->may_share) made->shared.reserve(stream::most_shares);
    streams_.push_back(std::move(made));
    return known = streams_.back().get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace oriel::win
