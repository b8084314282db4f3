// The failure detector's news: how a piece of news changes the fate of a rank, and to which links
// it is passed on.
#include <algorithm>

#include "session/node/failure_detector.hpp"
#include "session/node/overlay_shape.hpp"

namespace oriel::sessions {
namespace {

// Ranks mostly leave together: one message announces them, or none where this rank leaves as well.
constexpr std::chrono::milliseconds departures_within{50};
constexpr std::chrono::milliseconds answers_within{20};

constexpr fate meant_by(link_news::about what) noexcept {
  switch (what) {
    case link_news::about::leaving:
      return fate::leaving;
    case link_news::about::silent:
      return fate::silent;
    case link_news::about::ended:
      return fate::ended;
    case link_news::about::present:
    case link_news::about::rails:
      return fate::here;
  }
  return fate::here;
}

constexpr link_news::about told_of(fate f) noexcept {
  return f == fate::leaving  ? link_news::about::leaving
         : f == fate::silent ? link_news::about::silent
                             : link_news::about::ended;
}

}  // namespace

void failure_detector::hear(peer_link& l, const link_news& n) {
  if (known_.estranged()) return;
  if (n.what == link_news::about::present) return hear_answer(l, n);
  if (n.what == link_news::about::rails) return give_up_rails(n.turn);
  const fate f = meant_by(n.what);
  for (int r = n.first; r <= n.last; ++r) {
    if (r != self_.me)
      note(r, f, l.peer);
    else if (f != fate::leaving && known_.alive(l.peer))
      return be_estranged();
  }
}

void failure_detector::hear_answer(peer_link& l, const link_news& n) {
  if (n.turn > roll_.turn()) join_roll_call(n.turn);
  if (n.turn < roll_.turn()) return;
  for (int r = n.first; r <= n.last; ++r) roll_.answer(r, l.peer, now_ + answers_within);
}

void failure_detector::note(int r, fate f, int from) {
  if (r == self_.me || !may_follow(known_.of(r), f)) return;
  if (f != fate::left)
    news_.add(r, told_of(f), from, f == fate::leaving ? now_ + departures_within : now_);
  known_.note(r, f);
  wake_at(now_);
  if (f == fate::leaving) departures_.emplace_back(now_ + settings_.grace, r);
  if (!is_gone(f)) return;
  stop_pursuing(r);
  repairs_ = true;
  // With links to all ranks, there is nothing more to find out.
  if (f == fate::silent && ranks() > all_linked) call_again_ = true;
}

// Rank `r` gets the news when it is reachable again.
void failure_detector::bury(int r) {
  note(r, fate::silent, self_.me);
  if (known_.of(r) == fate::silent) pursue(r, true);
}

// All ranks give a rail up together, so that each can be certain what no other uses any more. Where
// none is left, since several have failed at once, the ranks have parted.
void failure_detector::give_up_rails(std::uint32_t which) {
  const std::uint32_t all = known_.failed_rails() | (which & all_rails());
  if (all == known_.failed_rails()) return;
  known_.note_failed_rails(all);
  std::erase_if(pursuits_, [this](const auto& p) { return !serves(p.first.second); });
  wake_at(now_);
  if (all == all_rails()) be_estranged();
}

// From now on this rank sends no news of others, and waits for no rank.
void failure_detector::be_estranged() {
  known_.estrange_from_all_but(self_.me);
  pursuits_.clear();
  departures_.clear();
  roll_.end();
  call_again_ = false;
}

void failure_detector::note_departures() {
  while (!departures_.empty() && now_ >= departures_.front().first) {
    note(departures_.front().second, fate::left, self_.me);
    departures_.pop_front();
  }
  if (!departures_.empty()) wake_at(departures_.front().first);
}

void failure_detector::join_roll_call(std::uint32_t turn) {
  roll_.begin(turn, now_ + settings_.silence / 2);
  roll_.answer(self_.me, self_.me, now_);
  for (peer_link& l : links_) {
    l.called = 0;
    if (l.open() && l.at == peer_link::stage::up && known_.alive(l.peer))
      roll_.answer(l.peer, self_.me, now_);
  }
}

void failure_detector::call_the_roll() {
  if (roll_.running() && now_ >= roll_.until()) {
    roll_.end();
    for (int r = 0; r < ranks(); ++r)
      if (known_.of(r) == fate::here && !roll_.answered(r)) note(r, fate::silent, self_.me);
  }
  if (call_again_ && !roll_.running()) {
    call_again_ = false;
    join_roll_call(roll_.turn() + 1);
  }
  if (roll_.running()) wake_at(roll_.until());
}

}  // namespace oriel::sessions
