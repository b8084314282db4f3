#include "session/liveness.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "oriel/errc.hpp"

namespace oriel::boot {
namespace {

using clock = std::chrono::steady_clock;

// After two seconds of silence a probe a second, and the connection is given up after the third.
constexpr int keepalive_idle_s = 2;
constexpr int keepalive_interval_s = 1;
constexpr int keepalive_probes = 3;
// A listener whose queue is full refuses now and then; a process that has ended always does.
constexpr int refusals_that_mean_gone = 2;
// Accepting is seldom needed: strangers and ranks that look at many others hang up again.
constexpr std::uint64_t looks_between_watchers = 16;
constexpr std::size_t most_watchers = 128;

std::int64_t now_ms() noexcept {
  return std::chrono::duration_cast<std::chrono::milliseconds>(clock::now().time_since_epoch())
      .count();
}

// The address by which other hosts reach this one: of ORIEL_INTERFACE, or else of the first
// interface that is up and not loopback, or else loopback.
in_addr own_address() {
  in_addr found{};
  found.s_addr = htonl(INADDR_LOOPBACK);
  const char* const wanted = std::getenv("ORIEL_INTERFACE");
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(all, freeifaddrs);
  bool known = wanted == nullptr;
  for (const ifaddrs* i = all; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET) continue;
    const bool fits = wanted != nullptr
                          ? std::strcmp(i->ifa_name, wanted) == 0
                          : (i->ifa_flags & IFF_UP) != 0 && (i->ifa_flags & IFF_LOOPBACK) == 0;
    if (!fits) continue;
    sockaddr_in address{};
    std::memcpy(&address, i->ifa_addr, sizeof address);
    found = address.sin_addr;
    known = true;
    break;
  }
  if (!known)
    throw error(errc::arg, std::string("ORIEL_INTERFACE is '") + wanted +
                               "'; valid: an interface of this host that has an IPv4 address");
  return found;
}

}  // namespace

liveness::liveness(bootstrap& launcher) : state_(static_cast<std::size_t>(launcher.size())) {
  std::string mine, failure;
  try {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr = own_address();
    socklen_t length = sizeof where;
    listening_ = socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    auto* const address = reinterpret_cast<sockaddr*>(&where);
    if (!listening_.valid() || bind(listening_.get(), address, sizeof where) != 0 ||
        listen(listening_.get(), 4096) != 0 || getsockname(listening_.get(), address, &length) != 0)
      throw error(errc::system,
                  std::string("cannot listen for the other nodes: ") + std::strerror(errno));
    mine.assign(reinterpret_cast<const char*>(&where), sizeof where);
  } catch (const error& e) {
    failure = e.what();
  }
  // A failure travels as a text, which is never as long as an address.
  addresses_ = launcher.allgather(failure.empty() ? mine : "!" + failure);
  for (std::size_t r = 0; r < addresses_.size(); ++r)
    if (addresses_[r].size() != sizeof(sockaddr_in) || addresses_[r][0] == '!')
      throw error(errc::system, "rank " + std::to_string(r) + ": " +
                                    (addresses_[r].empty() ? "" : addresses_[r].substr(1)));
}

bool liveness::alive(int r) const noexcept {
  const std::int64_t state = state_[static_cast<std::size_t>(r)].load(std::memory_order_acquire);
  return state == here || (state != dead && now_ms() - state < grace.count());
}

bool liveness::note_dead(int r) noexcept {
  return state_[static_cast<std::size_t>(r)].exchange(dead, std::memory_order_acq_rel) != dead;
}

void liveness::note_left(int r) noexcept {
  std::int64_t expected = here;
  state_[static_cast<std::size_t>(r)].compare_exchange_strong(expected, now_ms());
}

void liveness::begin(int r, watched& w) noexcept {
  w.since = clock::now();
  w.connected = false;
  w.fd = socket_fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!w.fd.valid()) return;  // cannot look: believed alive
  const auto set = [&w](int level, int name, int value) {
    setsockopt(w.fd.get(), level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_s);
  set(IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_s);
  set(IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
  sockaddr_in to{};
  std::memcpy(&to, addresses_[static_cast<std::size_t>(r)].data(), sizeof to);
  if (connect(w.fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) == 0)
    w.connected = true;
  else if (errno == ECONNREFUSED)
    refused(r, w);
}

// A listener whose queue is full may refuse too, hence the second attempt.
void liveness::refused(int r, watched& w) noexcept {
  w.fd = socket_fd();
  if (++w.refusals >= refusals_that_mean_gone) note_left(r);
}

bool liveness::still_there(int r, watched& w) noexcept {
  if (!w.fd.valid()) {
    begin(r, w);
    return true;
  }
  pollfd p{w.fd.get(), static_cast<short>(w.connected ? POLLIN : POLLOUT), 0};
  if (poll(&p, 1, 0) <= 0) return w.connected || clock::now() - w.since < cut_off_after;
  if (w.connected) {
    char farewell = 0;
    if (recv(w.fd.get(), &farewell, 1, MSG_DONTWAIT) != 1) return false;
    note_left(r);
    return true;
  }
  int failure = 0;
  socklen_t length = sizeof failure;
  getsockopt(w.fd.get(), SOL_SOCKET, SO_ERROR, &failure, &length);
  if (failure == 0) {
    w.connected = true;
    w.refusals = 0;
  } else if (failure == ECONNREFUSED) {
    refused(r, w);
  } else {
    return false;
  }
  return true;
}

bool liveness::look(int r) noexcept {
  if (state_[static_cast<std::size_t>(r)].load(std::memory_order_acquire) != here) return true;
  try {
    const std::lock_guard hold(mutex_);
    if (watched_.size() >= most_watched && watched_.count(r) == 0) forget_the_least_recent();
    if (++looks_ % looks_between_watchers == 0) receive_watchers();
    watched& w = watched_[r];
    w.looked = looks_;
    return still_there(r, w);
  } catch (const std::bad_alloc&) {
    return true;
  }
}

void liveness::forget_the_least_recent() noexcept {
  watched_.erase(std::min_element(
      watched_.begin(), watched_.end(),
      [](const auto& a, const auto& b) { return a.second.looked < b.second.looked; }));
}

// Those who stay, and say nothing, are kept, up to a number; the rest of the queue is left to the
// kernel.
void liveness::receive_watchers() {
  std::erase_if(watchers_, [](const socket_fd& w) {
    char ignored = 0;
    const ssize_t n = recv(w.get(), &ignored, 1, MSG_DONTWAIT | MSG_PEEK);
    return n >= 0 || errno != EAGAIN;
  });
  while (watchers_.size() < most_watchers) {
    socket_fd one(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!one.valid()) return;
    watchers_.push_back(std::move(one));
  }
}

void liveness::leave() noexcept {
  for (const socket_fd& w : watchers_) send(w.get(), "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  for (;;) {
    const socket_fd watcher(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!watcher.valid()) break;
    send(watcher.get(), "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  listening_ = socket_fd();
}

}  // namespace oriel::boot
