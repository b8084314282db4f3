// Messages where there are several rails: numbers, acknowledgements, and questions where these do
// not come.
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

// Between two looks at what was not acknowledged, and how many ranks one is at.
constexpr std::chrono::milliseconds between_looks{1};
constexpr std::size_t looked_at_once = 64;

}  // namespace

ssize_t libfabric::post_numbered(int to, const message_head& head,
                                 std::span<const std::byte> payload) noexcept {
  const std::lock_guard hold(rails_->mutex());
  rails::peer& p = rails_->at(to);
  const int rail = rails_->of(p);
  if (rail < 0) return -FI_ENOTCONN;
  if (!is_numbered(head.kind)) return post_message(rail, to, head, payload);
  if (rails_->is_moving(p, rail) || !p.messages.unsent().empty() || p.messages.full()) {
    // A rank of this node with which there was nothing to speak of is told now which are closed.
    if (!spoken_to_[static_cast<std::size_t>(to)].exchange(true, std::memory_order_relaxed))
      moves_on_.store(true, std::memory_order_relaxed);
    return -FI_EAGAIN;
  }
  message_head mine = head;
  mine.number = p.messages.next();
  try {
    std::vector<std::byte> copy(sizeof mine + payload.size());
    std::memcpy(copy.data(), &mine, sizeof mine);
    if (!payload.empty()) std::memcpy(copy.data() + sizeof mine, payload.data(), payload.size());
    p.messages.keep(std::move(copy));
  } catch (const std::bad_alloc&) {
    return -FI_ENOMEM;
  }
  const ssize_t code = post_message(rail, to, mine, payload);
  if (code != 0) p.messages.drop_last();
  return code;
}

// What arrives, once each and in turn. False as handled().
bool libfabric::arrived_by_rail(const message& m, std::span<const std::byte> bytes) noexcept {
  const message_head& h = m.head;
  rails::peer& p = rails_->at(h.from);
  if (h.kind == message_kind::taken) {
    note_taken(p, h.carried<taken_messages>());
    return true;
  }
  if (h.kind == message_kind::asks_taken) {
    p.question = static_cast<numbered_messages::number>(h.carried<sent_messages>().all_before);
    acknowledge(p);
    return true;
  }
  if (h.kind == message_kind::closed) {
    const auto reported = h.carried<closed_rails>();
    const std::lock_guard hold(rails_->mutex());
    p.closed |= reported.here;
    p.known |= reported.there;
    p.asked = p.asked || reported.asks != 0;
    asked_to_close_ |= reported.here;
    moves_on_.store(true, std::memory_order_relaxed);
    return true;
  }
  if (!is_numbered(h.kind)) return true;  // of one rail
  if (!take_in_turn(p, m, bytes)) return false;
  if (p.messages.owes_after(bytes.size())) acknowledge(p);
  return true;
}

// What there is no memory for early is dropped, and comes again, since it is not acknowledged.
bool libfabric::take_in_turn(rails::peer& p, const message& m,
                             std::span<const std::byte> bytes) noexcept {
  if (p.messages.has_taken(m.head.number)) return true;
  if (m.head.number != p.messages.expected()) {
    // Whoever waits for it needs nothing else of its sender's, which may close its endpoint now.
    if (m.head.kind == message_kind::bye_back) return handled(m);
    try {
      p.messages.put_by(m.head.number, bytes);
    } catch (const std::bad_alloc&) {
      // As if it had been lost.
    }
    return true;
  }
  if (!handled(m)) return false;
  p.messages.take();
  while (!p.messages.early().empty()) {
    const auto early = parse(p.messages.early(), settings_.job, job_.size());
    if (early && !handled(*early)) {
      p.messages.drop_early();
      return true;
    }
    p.messages.take();
  }
  return true;
}

// Of what was sent before a question all has been taken that is not lost.
void libfabric::note_taken(rails::peer& p, const taken_messages& told) noexcept {
  using number = numbered_messages::number;
  const std::lock_guard hold(rails_->mutex());
  p.messages.acknowledge(static_cast<number>(told.all_before));
  if (told.answers == 0) return;
  p.patience = rails::shortest_patience;
  p.asks_at = rails::clock::now() + p.patience;
  if (!p.messages.keeps_before(static_cast<number>(told.sent_before))) return;
  p.messages.send_again();
  moves_on_.store(true, std::memory_order_relaxed);
}

// Not behind answers that were put off: they may wait for room that this rank's own messages have
// at the other only once its acknowledgements come, which wait for this one likewise.
void libfabric::acknowledge(rails::peer& p) noexcept {
  const std::lock_guard hold(rails_->mutex());
  const int rail = rails_->of(p);
  if (rail >= 0 && !try_acknowledgement(p, rail)) moves_on_.store(true, std::memory_order_relaxed);
}

// One attempt. Requires: the mutex is held.
bool libfabric::try_acknowledgement(rails::peer& p, int rail) noexcept {
  message_head thanks;
  thanks.kind = message_kind::taken;
  thanks.carry(taken_messages{p.messages.expected(), p.question ? 1u : 0u, p.question.value_or(0)});
  p.owes = post_message(rail, p.rank, stamped(thanks, 0), {}) != 0;
  if (!p.owes) p.question.reset();
  return !p.owes;
}

// --- What is late

// At some ranks at a time, in turn.
void libfabric::look_for_the_late() noexcept {
  const auto now = rails::clock::now();
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  const std::lock_guard hold(rails_->mutex());
  const std::span<rails::peer> all = rails_->all();
  for (std::size_t i = std::min(looked_at_once, all.size()); i > 0; --i) {
    if (next_looked_at_ == all.size()) next_looked_at_ = 0;
    const std::size_t r = next_looked_at_++;
    if (spoken_to_[r].load(std::memory_order_relaxed) && !parted_[r].load())
      ask_if_late(all[r], now);
  }
}

void libfabric::ask_if_late(rails::peer& p, rails::clock::time_point now) noexcept {
  const auto first = p.messages.first_kept(), next = p.messages.next();
  if (first == next) return;
  if (first != p.waits_for) {
    p.waits_for = first;
    p.asks_at = now + p.patience;
  }
  const int rail = rails_->of(p);
  if (now < p.asks_at || rail < 0 || rails_->is_moving(p, rail) || now < p.not_before ||
      !p.messages.unsent().empty() || !job_.alive(p.rank))
    return;
  message_head question;
  question.kind = message_kind::asks_taken;
  question.carry(sent_messages{next});
  if (post_message(rail, p.rank, stamped(question, 0), {}) != 0) return;
  p.patience = std::min(2 * p.patience, rails::longest_patience);
  p.asks_at = now + p.patience;
}

// Before this rank leaves, whose others may compute and not answer: soon.
void libfabric::lose_patience() noexcept {
  const std::lock_guard hold(rails_->mutex());
  for (rails::peer& p : rails_->all()) {
    p.patience = rails::shortest_patience;
    p.asks_at = std::min(p.asks_at, rails::clock::now() + p.patience);
  }
}

bool libfabric::has_taken_all(int r) noexcept {
  if (rails_ == nullptr) return false;
  const std::lock_guard hold(rails_->mutex());
  const numbered_messages& sent = rails_->at(r).messages;
  return sent.first_kept() == sent.next();
}

}  // namespace oriel::transport
