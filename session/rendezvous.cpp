#include "session/rendezvous.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "oriel/errc.hpp"
#include "session/framing.hpp"

namespace oriel::boot {
namespace {

using clock = std::chrono::steady_clock;

// A joiner that has connected has this long to say hello, so that a silent stranger holds up
// nobody.
constexpr std::chrono::seconds hello_patience{2};
constexpr std::chrono::milliseconds retry_pause{20};

std::string place(const job_description& job) {
  return job.root_host + ":" + std::to_string(job.root_port);
}

[[noreturn]] void system_failure(const std::string& what) {
  throw error(errc::system, what + ": " + std::strerror(errno));
}

using addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

addresses resolve(const job_description& job, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(job.root_port);
  if (const int failure = getaddrinfo(job.root_host.c_str(), port.c_str(), &hints, &found))
    throw error(errc::arg, "ORIEL_ROOT is '" + place(job) + "': " + gai_strerror(failure));
  return {found, freeaddrinfo};
}

void send_at_once(int fd) {
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

socket_fd listen_at(const job_description& job) {
  if (job.root_fd >= 0) {
    fcntl(job.root_fd, F_SETFD, FD_CLOEXEC);
    // The descriptor stays with the process: a later session of the job listens there again.
    const int copy = fcntl(job.root_fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0)
      system_failure("ORIEL_ROOT_FD is " + std::to_string(job.root_fd) + ", which is no socket");
    return socket_fd(copy);
  }
  const addresses found = resolve(job, AI_PASSIVE);
  socket_fd s(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!s.valid() || setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(s.get(), found->ai_addr, found->ai_addrlen) != 0 || listen(s.get(), 1024) != 0)
    system_failure("rank 0 cannot listen at ORIEL_ROOT=" + place(job));
  return s;
}

std::string missing(const std::vector<socket_fd>& peers) {
  std::string list;
  for (std::size_t r = 1; r < peers.size(); ++r)
    if (!peers[r].valid()) list += (list.empty() ? "" : ", ") + std::to_string(r);
  return list;
}

// Why a joiner is refused; empty when it is welcome.
std::string objection(const std::optional<hello>& h, const job_description& job,
                      const std::vector<socket_fd>& peers) {
  if (!h || !same_secret(h->secret, job.secret)) return "the job's secret was not presented";
  if (h->size != job.size)
    return "ORIEL_SIZE is " + std::to_string(h->size) + ", but rank 0 has " +
           std::to_string(job.size);
  if (h->rank < 1 || h->rank >= job.size) return "no such rank: " + std::to_string(h->rank);
  if (peers[static_cast<std::size_t>(h->rank)].valid())
    return "rank " + std::to_string(h->rank) + " has joined already";
  return "";
}

// One connection that has not said hello yet.
struct stranger {
  socket_fd fd;
  clock::time_point until;
};

[[noreturn]] void give_up(io_result why, const std::string& whom) {
  if (why == io_result::late) throw error(errc::timed_out, whom + " did not answer in time");
  throw error(errc::peer_failed, whom + " has left or has sent what it should not");
}

}  // namespace

rendezvous::rendezvous(const job_description& job) : job_(job) {
  if (job.size == 1) return;
  if (job.rank == 0)
    gather_as_root();
  else
    join_root();
}

void rendezvous::gather_as_root() {
  const auto until = clock::now() + job_.timeout;
  peers_.resize(static_cast<std::size_t>(job_.size));
  const socket_fd listening = listen_at(job_);
  std::vector<stranger> strangers;
  int joined = 0;
  std::string refused_by_system;
  while (joined < job_.size - 1 && clock::now() < until) {
    std::vector<pollfd> watched{{listening.get(), POLLIN, 0}};
    for (const stranger& s : strangers) watched.push_back({s.fd.get(), POLLIN, 0});
    poll(watched.data(), watched.size(), 50);
    // Newest last, so that the indices of `watched` stay true while some are taken out.
    for (std::size_t i = strangers.size(); i-- > 0;) {
      stranger& s = strangers[i];
      if (watched[i + 1].revents == 0) {
        if (clock::now() >= s.until) strangers.erase(strangers.begin() + static_cast<long>(i));
        continue;
      }
      std::string bytes;
      const auto soon = std::min(s.until, clock::now() + std::chrono::milliseconds(200));
      const io_result read = receive_message(s.fd.get(), bytes, longest_hello, soon);
      const auto h = read == io_result::done ? decode_hello(bytes) : std::nullopt;
      const std::string refused = objection(h, job_, peers_);
      if (refused.empty()) {
        peers_[static_cast<std::size_t>(h->rank)] = std::move(s.fd);
        ++joined;
      } else if (read == io_result::done) {
        send_message(s.fd.get(), "no" + refused, soon);
      }
      strangers.erase(strangers.begin() + static_cast<long>(i));
    }
    if ((watched[0].revents & POLLIN) != 0) {
      socket_fd fd(accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) {
        refused_by_system = std::strerror(errno);
      } else {
        send_at_once(fd.get());
        strangers.push_back({std::move(fd), clock::now() + hello_patience});
      }
    }
  }
  std::string failure;
  if (joined < job_.size - 1)
    failure = "of " + std::to_string(job_.size) + " ranks, these did not appear " +
              within(job_.timeout) + ": " + missing(peers_);
  if (!failure.empty() && !refused_by_system.empty())
    failure += "; rank 0 could not accept connections: " + refused_by_system;
  for (socket_fd& p : peers_)
    if (p.valid())
      send_message(p.get(), failure.empty() ? "ok" : "to" + failure,
                   clock::now() + std::chrono::seconds(1));
  if (!failure.empty()) throw error(errc::timed_out, failure);
}

void rendezvous::join_root() {
  // Rank 0 may be as late as the time-out allows, and then still tells who is missing.
  const auto until = clock::now() + job_.timeout;
  const addresses found = resolve(job_, 0);
  for (;;) {
    root_ = socket_fd(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!root_.valid()) system_failure("cannot make a socket");
    if (connect(root_.get(), found->ai_addr, found->ai_addrlen) == 0) break;
    if (clock::now() >= until)
      throw error(errc::timed_out, "rank " + std::to_string(job_.rank) +
                                       ": rank 0 did not appear at ORIEL_ROOT=" + place(job_) +
                                       " " + within(job_.timeout));
    std::this_thread::sleep_for(retry_pause);
  }
  send_at_once(root_.get());
  std::string answer;
  const auto longer = until + job_.timeout;
  io_result r = send_message(root_.get(), encode({job_.rank, job_.size, job_.secret}), longer);
  if (r == io_result::done) r = receive_message(root_.get(), answer, 64u << 10, longer);
  if (r != io_result::done) give_up(r, "rank 0");
  const std::string text = answer.size() > 2 ? answer.substr(2) : "";
  if (answer.starts_with("to")) throw error(errc::timed_out, text);
  if (!answer.starts_with("ok"))
    throw error(errc::arg, "rank 0 refused rank " + std::to_string(job_.rank) + ": " + text);
}

std::vector<std::string> rendezvous::allgather(const std::string& mine) {
  if (job_.size == 1) return {mine};
  const auto until = clock::now() + job_.timeout;
  if (job_.rank != 0) {
    std::string bytes;
    io_result r = send_message(root_.get(), mine, until);
    if (r == io_result::done) r = receive_message(root_.get(), bytes, longest_message, until);
    if (r != io_result::done) give_up(r, "rank 0");
    auto all = decode_list(bytes);
    if (!all || all->size() != static_cast<std::size_t>(job_.size))
      give_up(io_result::malformed, "rank 0");
    return std::move(*all);
  }
  std::vector<std::string> all(peers_.size());
  all[0] = mine;
  for (std::size_t r = 1; r < peers_.size(); ++r) {
    const io_result read = receive_message(peers_[r].get(), all[r], longest_message, until);
    if (read != io_result::done) give_up(read, "rank " + std::to_string(r));
  }
  const std::string bytes = encode_list(all);
  for (std::size_t r = 1; r < peers_.size(); ++r) {
    const io_result sent = send_message(peers_[r].get(), bytes, until);
    if (sent != io_result::done) give_up(sent, "rank " + std::to_string(r));
  }
  return all;
}

}  // namespace oriel::boot
