#include "session/bootstrap/admission.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "session/bootstrap/keepalive.hpp"

namespace oriel::sessions {
namespace {

constexpr int pause_ms = 50;
// Between two batches, connections that are open already are read.
constexpr int most_accepted_at_once = 64;

}  // namespace

admission::admission(const job_description& job, socket_fd listening,
                     const std::vector<int>& awaited)
    : job_(job), listening_(std::move(listening)) {
  for (const int rank : awaited) members_.push_back({.rank = rank});
}

void admission::turn(std::span<const int> others) {
  std::vector<pollfd> watched{{room() ? listening_.get() : -1, POLLIN, 0}};
  for (const stranger& s : strangers_) watched.push_back({s.fd.get(), POLLIN, 0});
  for (const int fd : others) watched.push_back({fd, POLLIN, 0});
  poll(watched.data(), watched.size(), pause_ms);
  const auto now = clock::now();
  std::vector<stranger> left;
  left.reserve(strangers_.size());
  for (std::size_t i = 0; i < strangers_.size(); ++i) {
    stranger& s = strangers_[i];
    standing now_is = watched[i + 1].revents != 0 ? hear(s) : standing::stranger;
    if (now_is == standing::stranger && now - s.since < patience) left.push_back(std::move(s));
  }
  strangers_ = std::move(left);
  if ((watched[0].revents & POLLIN) != 0) accept_strangers();
}

bool admission::full() const noexcept {
  return strangers_.size() >= most_strangers + members_.size() - joined_;
}

// For one more, if need be in the place of the oldest.
bool admission::room() const noexcept {
  return !full() || clock::now() - strangers_.front().since > least_stay;
}

void admission::accept_strangers() {
  for (int i = 0; i < most_accepted_at_once && room(); ++i) {
    socket_address from;
    from.length = sizeof from.bytes;
    // Asked for here: a connection that has ended does not tell any more.
    socket_fd fd(accept4(listening_.get(), from.get(), &from.length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) {
      if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ECONNABORTED || errno == EINTR)
        return;
      trouble_ = std::strerror(errno);
      // Strangers that hold all the descriptors must not keep members out.
      if (!strangers_.empty() && clock::now() - strangers_.front().since > least_stay)
        strangers_.erase(strangers_.begin());
      return;
    }
    keep_alive(fd.get(), silence_of(job_));
    if (full()) strangers_.erase(strangers_.begin());
    strangers_.emplace_back(std::move(fd), from);
  }
}

admission::standing admission::hear(stranger& s) {
  for (;;) {
    std::string message;
    const io_result read = s.reader.read(s.fd.get(), message);
    if (read == io_result::late) return standing::stranger;
    if (read != io_result::done) return standing::gone;
    const standing now = s.said ? judge(s, message) : greet(s, message);
    if (now != standing::stranger) return now;
  }
}

admission::standing admission::greet(stranger& s, const std::string& message) {
  s.said = decode_hello(message);
  if (!s.said) {
    if (!is_some_hello(message)) return standing::gone;
    return tell(s, answer_kind::refusal, "the two were built from different versions of oriel",
                standing::gone);
  }
  s.asked = fresh_nonce();
  return tell(s, answer_kind::challenge, to_bytes(s.asked), standing::stranger);
}

admission::standing admission::judge(stranger& s, const std::string& message) {
  const hello& h = *s.said;
  const auto theirs = to_array(message);
  const bool knows = theirs && same(*theirs, prove(job_.secret, speaker::joiner, h, s.asked));
  member* const place = place_of(h);
  // A peer that has not proven the secret gets no information about the job.
  const std::string why =
      knows ? objection(h, place) : "it does not know the job's secret (ORIEL_JOB_SECRET)";
  if (!why.empty()) return tell(s, answer_kind::refusal, why, standing::gone);
  const proof mine = prove(job_.secret, speaker::host, h, s.asked);
  if (tell(s, answer_kind::welcome, to_bytes(mine), standing::member) != standing::member)
    return standing::gone;
  place->joined = true;
  place->fd = std::move(s.fd);
  place->from = s.from;
  place->port = h.port;
  ++joined_;
  return standing::member;
}

admission::member* admission::place_of(const hello& h) noexcept {
  const auto found = std::lower_bound(members_.begin(), members_.end(), h.rank,
                                      [](const member& m, int rank) { return m.rank < rank; });
  return found == members_.end() || found->rank != h.rank ? nullptr : &*found;
}

// Returns why a peer that has proven the secret is refused all the same; empty where it is not.
std::string admission::objection(const hello& h, const member* place) const {
  const auto rank = [](int r) { return "rank " + std::to_string(r); };
  if (h.size != job_.size)
    return "ORIEL_SIZE is " + std::to_string(h.size) + ", but " + rank(job_.rank) + " has " +
           std::to_string(job_.size);
  if (h.to != job_.rank) return "it joins " + rank(h.to) + ", and this is " + rank(job_.rank);
  if (place == nullptr) return rank(h.rank) + " does not join " + rank(job_.rank);
  if (place->joined) return rank(h.rank) + " has joined already";
  return "";
}

// An answer is short, so it fits where nothing has been sent before; if it does not, `s` has gone.
admission::standing admission::tell(const stranger& s, answer_kind kind, const std::string& bytes,
                                    standing then) {
  const io_result sent = send_message(s.fd.get(), encode(answer{kind, bytes}), deadline{});
  return sent == io_result::done ? then : standing::gone;
}

std::vector<admission::member> admission::take_joined() {
  std::vector<member> taken;
  for (member& m : members_) {
    if (!m.fd.valid()) continue;
    taken.push_back({.rank = m.rank, .joined = true, .fd = {}, .from = m.from, .port = m.port});
    taken.back().fd = std::move(m.fd);
  }
  return taken;
}

std::string admission::missing() const {
  std::string list;
  for (const member& m : members_)
    if (!m.joined) list += (list.empty() ? "" : ", ") + std::to_string(m.rank);
  return list;
}

}  // namespace oriel::sessions
