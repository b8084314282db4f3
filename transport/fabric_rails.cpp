// What a fabric with several rails does besides: what a failed rail leaves undone.
#include <rdma/fi_errno.h>

#include <cstring>

#include "transport/failure.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::chrono::milliseconds pause{1};
// Until a rank that did not answer is told again which rails are closed.
constexpr std::chrono::milliseconds report_again{500};

}  // namespace

int libfabric::poll_rails() noexcept {
  int n = 0;
  for (int rail = 0; rail < rails_->count(); ++rail)
    if (rails_->serves(rail))
      n += rails_->port(rail).poll(
          [this](context& c, std::size_t bytes, int failure) { completed(c, bytes, failure); });
  close_failed_rails();
  if (moves_on_.load(std::memory_order_relaxed)) move_on();
  look_for_the_late();
  return n;
}

void libfabric::close_failed_rails() noexcept {
  const std::uint32_t all = (1u << rails_->count()) - 1;
  const std::uint32_t failed = (job_.failed_rails() | asked_to_close_) & all & ~rails_->closed();
  if (failed != 0) close_rails(failed);
}

// From here on nothing arrives by them, and nothing that was posted there completes.
void libfabric::close_rails(std::uint32_t which) noexcept {
  const std::lock_guard hold(rails_->mutex());
  for (int rail = 0; rail < rails_->count(); ++rail) {
    if ((which >> rail & 1u) == 0) continue;
    rails_->close(rail);
    const std::lock_guard idle(idle_sends_mutex_);
    for (send_buffer& b : std::span(send_buffers_.get(), sends))
      if (b.rail == rail) {
        b.rail = no_rail;
        idle_sends_.push_back(&b);
      }
  }
  moves_on_.store(true, std::memory_order_relaxed);
}

void libfabric::move_on() noexcept {
  const auto now = rails::clock::now();
  if (now < next_move_) return;
  next_move_ = now + pause;
  // Forgotten first, so that what another thread begins meanwhile is not.
  moves_on_.store(false, std::memory_order_relaxed);
  bool more = false;
  const std::lock_guard hold(rails_->mutex());
  for (rails::peer& p : rails_->all())
    if (p.asked || !job_.on_my_node(p.rank) || spoken_to_[static_cast<std::size_t>(p.rank)].load())
      more = move_on(p, now) || more;
  operations_.judge_transfers([&](operation& op) { return judged(op, now, more); });
  if (more) moves_on_.store(true, std::memory_order_relaxed);
}

// Returns whether there is more to do.
bool libfabric::move_on(rails::peer& p, rails::clock::time_point now) noexcept {
  const int rail = rails_->of(p);
  if (rail < 0 || !job_.alive(p.rank)) {
    p.messages.forget();
    return false;
  }
  const std::uint32_t closed = rails_->closed();
  bool more = (closed & ~(p.closed & p.known)) != 0;
  if (p.asked || (more && now >= p.next_report)) {
    message_head report;
    report.kind = message_kind::closed;
    report.carry(closed_rails{closed, p.closed, more ? 1u : 0u});
    if (post_message(rail, p.rank, stamped(report, 0), {}) == 0) {
      p.asked = false;
      p.next_report = now + report_again;
    } else {
      more = true;
    }
  }
  if (p.owes && !try_acknowledgement(p, rail)) more = true;
  for (; !p.messages.unsent().empty(); p.messages.sent_one()) {
    const auto bytes = p.messages.unsent();
    message_head head;
    std::memcpy(&head, bytes.data(), sizeof head);
    if (rails_->is_moving(p, rail) || now < p.not_before ||
        post_message(rail, p.rank, head, bytes.subspan(sizeof head)) != 0)
      return true;
  }
  return more;
}

// What a read or a write ends with that a rail or a connection has failed; nothing where it goes
// on.
std::optional<errc> libfabric::judged(operation& op, rails::clock::time_point now,
                                      bool& more) noexcept {
  by_rail& by = op.on_rail;
  if (by.rail < 0) return std::nullopt;
  const bool closed = !rails_->serves(by.rail);
  if (!closed && !by.broken) return std::nullopt;
  if (op.waiters[0] == nullptr && op.waiters[1] == nullptr) return errc::success;
  if (!job_.alive(op.target)) return errc::peer_failed;
  const rails::peer& p = rails_->at(op.target);
  if (closed && (p.closed >> by.rail & 1u) != 0) return issue_again(op, p, more);
  more = true;
  if (closed || now - by.since < job_.silence() + found_within) return std::nullopt;
  if (!give_up_rail(by.rail)) return errc::peer_failed;
  by.since = now;
  return std::nullopt;
}

std::optional<errc> libfabric::issue_again(operation& op, const rails::peer& p,
                                           bool& more) noexcept {
  by_rail& by = op.on_rail;
  const int rail = rails_->of(p);
  if (rail < 0) return errc::peer_failed;
  const int before = std::exchange(by.rail, rail);
  const remote_place there{op.target, by.address, by.key};
  endpoint& port = rails_->port(rail);
  const ssize_t code = by.reads ? port.read(there, by.here, by.bytes, nullptr, op)
                                : port.write(there, by.here, by.bytes, nullptr, by.flags, op);
  by.broken = false;
  if (code == 0) return std::nullopt;
  by.rail = before;
  const errc e = code_of(static_cast<int>(-code));
  if (code != -FI_EAGAIN && e != errc::peer_failed) return e;
  more = true;
  return std::nullopt;
}

// --- Connections that break

// A read or a write that failed with its connection goes on by another rail, unless its target is
// found to have gone.
bool libfabric::outlives(operation& op, errc failure) noexcept {
  if (rails_ == nullptr || failure != errc::peer_failed || !job_.alive(op.target)) return false;
  const std::lock_guard hold(rails_->mutex());
  op.on_rail.broken = true;
  op.on_rail.since = rails::clock::now();
  moves_on_.store(true, std::memory_order_relaxed);
  return true;
}

void libfabric::resend(int to) noexcept {
  const std::lock_guard hold(rails_->mutex());
  rails::peer& p = rails_->at(to);
  p.messages.send_again();
  p.not_before = rails::clock::now() + pause;
  moves_on_.store(true, std::memory_order_relaxed);
}

bool libfabric::give_up_rail(int rail) noexcept {
  for (int other = 0; other < rails_->count(); ++other) {
    if (other == rail || !rails_->serves(other)) continue;
    job_.report_rail(rail);
    return true;
  }
  return false;
}

// To a living rank nothing could be posted for long.
bool libfabric::gives_up_rail_to(int rank) noexcept {
  if (rails_ == nullptr) return false;
  const std::lock_guard hold(rails_->mutex());
  const int rail = rails_->of(rails_->at(rank));
  return rail >= 0 && give_up_rail(rail);
}

}  // namespace oriel::transport
