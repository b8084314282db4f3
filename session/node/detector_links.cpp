// The failure detector's links: made, lost and made again.
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "session/node/failure_detector.hpp"
#include "session/node/overlay_shape.hpp"

namespace oriel::sessions {
namespace {

using stage = peer_link::stage;
using std::chrono::milliseconds;

// Connections whose rank is not known yet. Where there are more, the one that has been idle for
// longest is closed.
constexpr std::ptrdiff_t most_strangers = 64;
constexpr milliseconds no_descriptors_for{100};
// An attempt whose packets were lost is soon given up for another.
constexpr milliseconds attempt_within{1500};
constexpr milliseconds between_attempts{50};
// Where a fifth of all packets is lost, so are the four probes of keepalive once in sixty silences.
// So a rank whose link was silent is tried by several connections before it counts as cut off.
constexpr milliseconds doubted_at_most{2000};
constexpr milliseconds doubted_attempt_within{250};
// News reaches all ranks, that of departures too, which are gathered for a while.
constexpr milliseconds told_within{1000};
// Between attempts to reach silent ranks: soon at first.
constexpr milliseconds seldom{1000};
constexpr milliseconds most_seldom{30'000};

bool is_stranger(const peer_link& l) noexcept {
  return l.open() && !l.by_me && l.at == stage::greeting;
}

// Which of two parts of a job goes on.
bool is_greater(const link_hello& a, const link_hello& b) noexcept {
  return a.living != b.living ? a.living > b.living : a.lowest < b.lowest;
}

bool buries(fate f) noexcept {
  return f == fate::silent || f == fate::ended;
}

}  // namespace

bool failure_detector::linked_with(int r, int rail) const noexcept {
  return std::any_of(links_.begin(), links_.end(), [r, rail](const peer_link& l) {
    return l.open() && l.peer == r && l.rail == rail && l.at == stage::up;
  });
}

peer_link* failure_detector::dialled(rail_of_rank to) noexcept {
  const auto found = std::find_if(links_.begin(), links_.end(), [to](const peer_link& l) {
    return l.open() && rail_of_rank(l.peer, l.rail) == to && l.by_me && l.at != stage::up;
  });
  return found == links_.end() ? nullptr : &*found;
}

// --- Incoming connections

void failure_detector::accept(int rail) {
  for (int i = 0; i < most_strangers; ++i) {
    const int listens = listening_[static_cast<std::size_t>(rail)].get();
    socket_fd one(accept4(listens, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!one.valid()) {
      if (errno == ECONNABORTED || errno == EINTR) continue;
      if (errno == EAGAIN) return;
      if (!all_linked_)
        hindrance_ = std::string("connections cannot be accepted: ") + std::strerror(errno);
      accepts_again_ = now_ + no_descriptors_for;
      return;
    }
    if (std::count_if(links_.begin(), links_.end(), is_stranger) >= most_strangers)
      std::find_if(links_.begin(), links_.end(), is_stranger)->close();
    links_.emplace_back(std::move(one), rail, settings_.silence, reader());
    ready(links_.back());
  }
}

void failure_detector::drop_strangers() {
  for (peer_link& l : links_) {
    if (!is_stranger(l)) continue;
    if (now_ >= l.since + settings_.hello)
      l.close();
    else
      wake_at(l.since + settings_.hello);
  }
}

// --- What comes

void failure_detector::ready(peer_link& l) {
  if (l.at == stage::connecting) {
    if (const int failure = l.connected(); failure != 0) return ended(l, failure);
    l.at = stage::greeting;
    l.since = now_;
    reached(l.peer, l.rail);
    greet(l, l.peer);
  }
  // One link with much to read does not delay the others.
  for (int i = 0; l.open() && i < 64; ++i) {
    const ssize_t got = l.receive();
    if (got < 0) return ended(l, static_cast<int>(-got));
    if (got == 0) return;
    understand(l);
  }
}

void failure_detector::understand(peer_link& l) {
  if (const auto h = l.in.hello()) greeted(l, *h);
  while (l.open() && l.at == stage::up) {
    const auto n = l.in.news();
    if (!n) break;
    hear(l, *n);
  }
  if (l.open() && l.in.malformed()) ended(l, EPROTO);
}

void failure_detector::reached(int r, int rail) {
  if (rails() > 1) reached_[{r, rail}] = now_;
}

void failure_detector::greet(peer_link& l, int to) {
  int living = 0, lowest = self_.me;
  for (int r = ranks(); r-- > 0;)
    if (known_.alive(r)) {
      ++living;
      lowest = r;
    }
  l.said = {self_.job, self_.me, to, living, lowest, known_.of(to)};
  l.out += encode(l.said);
  send(l);
}

void failure_detector::greeted(peer_link& l, const link_hello& h) {
  if (h.to != self_.me || (l.by_me && h.from != l.peer)) return ended(l, EPROTO);
  l.peer = h.from;
  if (!l.by_me) greet(l, h.from);
  if (!l.open()) return;
  if (!known_.alive(h.from) || is_gone(h.takes)) return meet_again(l, h);
  l.at = stage::up;
  // Whoever has connected: two ranks that miss each other on a rail do it at once.
  reached(h.from, l.rail);
  pursuits_.erase({h.from, l.rail});
  if (roll_.running()) roll_.answer(h.from, self_.me, now_);
  keep_one(l);
}

// One of the two has declared the other failed. Both decide by the two hellos, so they agree.
void failure_detector::meet_again(peer_link& l, const link_hello& h) {
  const bool by_them = buries(h.takes);
  const bool by_me = buries(l.said.takes);
  if (by_them && (!by_me || is_greater(h, l.said)))
    be_estranged();
  else if (h.takes == fate::estranged || (l.by_me && by_me))
    stop_pursuing(h.from);  // they know by now
  l.close();
}

// Both may have connected. The link that the lower rank has made stays, on both sides; of two that
// one rank has made, the later: it has lost the other.
void failure_detector::keep_one(peer_link& l) {
  const bool mine = self_.me < l.peer;
  for (peer_link& other : links_) {
    if (&other == &l || !other.open() || other.peer != l.peer || other.rail != l.rail ||
        other.at != stage::up)
      continue;
    if (other.by_me == l.by_me || l.by_me == mine)
      other.close();
    else
      return l.close();
  }
}

void failure_detector::send(peer_link& l) {
  for (;;) {
    if (const int failure = l.send_out(); failure != 0) return ended(l, failure);
    if (!l.out.empty() || l.at != stage::up) return;
    if (l.told_of_rails != known_.failed_rails()) {
      l.told_of_rails = known_.failed_rails();
      l.out += encode(link_news{link_news::about::rails, l.told_of_rails, self_.me, self_.me});
      continue;
    }
    const std::size_t told = l.told, called = l.called;
    l.told = news_.append_to(l.out, told, l.peer);
    if (l.told == told) l.called = roll_.answers().append_to(l.out, called, l.peer, roll_.turn());
    if (l.told == told && l.called == called) return;
  }
}

// --- What ends

void failure_detector::ended(peer_link& l, int failure) {
  const int r = l.peer;
  const bool was_up = l.at == stage::up;
  l.close();
  if (r < 0 || known_.estranged()) return;
  if (!was_up) {
    if (l.by_me) attempt_failed(l, failure);
    return;
  }
  if (!serves(l.rail) || linked_with(r, l.rail) || known_.of(r) != fate::here) return;
  if (is_silence(failure)) doubt(r, l.rail);
  pursue(r, true);
}

// --- Outgoing connections

void failure_detector::repair() {
  if (!repairs_ || !all_linked_ || known_.estranged()) return;
  repairs_ = false;
  for (const int r : linked_after(self_.me, ranks(), [this](int r) { return !known_.alive(r); }))
    if (known_.of(r) == fate::here) pursue(r, false);
}

// On every rail: one on which it is reached, while it is not on another, tells that from its death.
// A link that there is already is replaced.
void failure_detector::pursue(int r, bool was_linked) {
  for (int rail = 0; rail < rails(); ++rail) {
    if (!serves(rail) || (!was_linked && linked_with(r, rail))) continue;
    pursuits_.try_emplace({r, rail}, pursuit{now_, now_, was_linked, false, 0, now_});
  }
  wake_at(now_);
}

void failure_detector::stop_pursuing(int r) {
  std::erase_if(pursuits_, [r](const auto& p) { return p.first.first == r; });
}

void failure_detector::doubt(int r, int rail) {
  const auto left = std::min<clock::duration>(doubted_at_most, settings_.silence / 3);
  pursuits_.insert_or_assign(rail_of_rank{r, rail}, pursuit{now_ - settings_.silence + left, now_,
                                                            true, true, ETIMEDOUT, now_});
}

void failure_detector::pursue_all() {
  std::vector<rail_of_rank> due, lost;
  for (auto& [at, p] : pursuits_) {
    const int r = at.first;
    peer_link* attempt = dialled(at);
    // A rank that has accepted is alive, and may answer late: it may be stopped. One that was
    // silent before must answer in time.
    const bool may_wait =
        attempt != nullptr && attempt->at == stage::greeting && known_.of(r) != fate::silent;
    const bool doubted = p.doubted && known_.of(r) == fate::here;
    const milliseconds within = doubted ? doubted_attempt_within : attempt_within;
    if (attempt != nullptr && !may_wait && now_ >= attempt->since + within) {
      attempt->close();
      attempt = nullptr;
      p.failure = ETIMEDOUT;
      p.next = std::max(p.next, now_);
    }
    if (attempt == nullptr && now_ >= p.next) due.push_back(at);
    if (may_wait) continue;
    wake_at(attempt == nullptr ? p.next : attempt->since + within);
    // While the session opens a rank that is not reached is reported, not buried; it may be reached
    // on another rail.
    const bool is_opening = !all_linked_ && !doubted;
    if ((is_opening && rails() == 1) || known_.of(r) == fate::silent) continue;
    const clock::duration patience =
        is_opening ? std::min(settings_.silence, settings_.opening / 2) : settings_.silence;
    if (now_ >= p.since + patience)
      lost.push_back(at);
    else
      wake_at(p.since + patience);
  }
  for (const rail_of_rank& at : lost) decide_on(at);
  for (const rail_of_rank& at : due) dial(at);
}

// A rank that was not reached on a rail for too long.
void failure_detector::decide_on(rail_of_rank at) {
  const auto found = pursuits_.find(at);
  if (found == pursuits_.end()) return;
  const auto [r, rail] = at;
  for (int other = 0; other < rails(); ++other) {
    if (other == rail || !serves(other)) continue;
    const auto seen = reached_.find({r, other});
    const bool is_reached = seen != reached_.end() && seen->second >= found->second.began;
    const peer_link* const attempt = dialled({r, other});  // by a process that is stopped
    if (is_reached || (attempt != nullptr && attempt->at == stage::greeting))
      return give_up_rails(1u << rail);
  }
  if (all_linked_ || found->second.doubted) bury(r);
}

sockaddr_in failure_detector::place_of(int r, int rail) const noexcept {
  sockaddr_in where{};
  self_.places.read(rail, r, &where, sizeof where);
  return where;
}

in_addr failure_detector::source_address(int rail) const noexcept {
  if (settings_.interfaces[static_cast<std::size_t>(rail)].empty()) return {htonl(INADDR_ANY)};
  return place_of(self_.me, rail).sin_addr;
}

void failure_detector::dial(rail_of_rank to) {
  const auto [r, rail] = to;
  const auto found = pursuits_.find(to);
  if (found == pursuits_.end()) return;
  pursuit& p = found->second;
  const bool is_silent = known_.of(r) == fate::silent;
  p.next =
      now_ + (is_silent ? std::clamp<clock::duration>((now_ - p.since) / 16, seldom, most_seldom)
                        : between_attempts);
  wake_at(p.next);
  int failure = 0;
  const sockaddr_in where = place_of(r, rail);
  const in_addr from = source_address(rail);
  const auto attempt = [&, r = r, rail = rail] {
    links_.emplace_back(r, rail, where, from, settings_.silence, reader(), failure);
    links_.back().since = now_;
  };
  attempt();
  if ((failure == EMFILE || failure == ENFILE) && all_linked_ && spare_.valid()) {
    links_.pop_back();
    spare_ = socket_fd();
    attempt();
  }
  if (failure != 0) ended(links_.back(), failure);
}

void failure_detector::attempt_failed(const peer_link& l, int failure) {
  const auto found = pursuits_.find({l.peer, l.rail});
  if (found == pursuits_.end()) return;
  found->second.failure = failure;
  // It was there until now.
  if (l.at == stage::greeting && now_ - l.since > settings_.silence) found->second.since = now_;
  wake_at(found->second.next);
  // It may have left instead, and announced that to other ranks.
  const bool would_be_known = found->second.was_linked || now_ >= found->second.since + told_within;
  if (failure == ECONNREFUSED && all_linked_ && would_be_known) note(l.peer, fate::ended, self_.me);
}

}  // namespace oriel::sessions
