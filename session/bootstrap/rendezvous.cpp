#include "session/bootstrap/rendezvous.hpp"

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
#include "session/bootstrap/admission.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/handshake.hpp"
#include "session/bootstrap/keepalive.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds retry_pause{20};
constexpr std::size_t longest_answer = 64u << 10;

std::string root_address(const job_description& job) {
  return job.root_host + ":" + std::to_string(job.root_port);
}

using addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

addresses resolve(const job_description& job, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(job.root_port);
  if (const int failure = getaddrinfo(job.root_host.c_str(), port.c_str(), &hints, &found))
    throw error(errc::arg, "ORIEL_ROOT is '" + root_address(job) + "': " + gai_strerror(failure));
  return {found, freeaddrinfo};
}

socket_fd listen_at(const job_description& job) {
  if (job.root_fd >= 0) {
    fcntl(job.root_fd, F_SETFD, FD_CLOEXEC);
    // The descriptor stays with the process: a later session of the job listens there again.
    socket_fd copy(fcntl(job.root_fd, F_DUPFD_CLOEXEC, 3));
    if (!copy.valid() || fcntl(copy.get(), F_SETFL, O_NONBLOCK) != 0)
      system_failure("ORIEL_ROOT_FD is " + std::to_string(job.root_fd) + ", which is no socket");
    return copy;
  }
  const addresses found = resolve(job, AI_PASSIVE);
  socket_fd s(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (!s.valid() || setsockopt(s.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(s.get(), found->ai_addr, found->ai_addrlen) != 0 || listen(s.get(), 1024) != 0)
    system_failure("rank 0 cannot listen at ORIEL_ROOT=" + root_address(job));
  return s;
}

// A port that the system picks for this end may be the other end's: then a socket connects to
// itself.
bool is_connected_to_itself(int fd) {
  sockaddr_storage mine{}, theirs{};
  socklen_t mine_length = sizeof mine, theirs_length = sizeof theirs;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&mine), &mine_length) == 0 &&
         getpeername(fd, reinterpret_cast<sockaddr*>(&theirs), &theirs_length) == 0 &&
         mine_length == theirs_length && std::memcmp(&mine, &theirs, mine_length) == 0;
}

// Returns a socket that is not valid where no process listens there, or none has answered by
// `until`.
socket_fd connect_to(const addrinfo& where, std::chrono::milliseconds silence, deadline until) {
  socket_fd s(socket(where.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!s.valid()) system_failure("cannot make a socket");
  if (connect(s.get(), where.ai_addr, where.ai_addrlen) != 0) {
    int failure = errno;
    socklen_t length = sizeof failure;
    if (failure != EINPROGRESS || wait_ready(s.get(), POLLOUT, until) != io_result::done ||
        getsockopt(s.get(), SOL_SOCKET, SO_ERROR, &failure, &length) != 0 || failure != 0)
      return {};
  }
  if (is_connected_to_itself(s.get())) return {};
  keep_alive(s.get(), silence);
  return s;
}

// What a call with another rank has come to, as all ranks are to see it.
answer explained(io_result why, std::size_t whom, const job_description& job) {
  const std::string who = "rank " + std::to_string(whom) + " ";
  if (why == io_result::late) return {answer_kind::incomplete, who + "did not answer in time"};
  if (why == io_result::silent)
    return {answer_kind::broken, who + silence_in_words(silence_of(job))};
  return {answer_kind::broken, who + "has left or has sent what it should not"};
}

[[noreturn]] void give_up(const answer& why) {
  throw error(why.kind == answer_kind::incomplete ? errc::timed_out : errc::peer_failed, why.bytes);
}

}  // namespace

rendezvous::rendezvous(const job_description& job) : job_(job) {
  if (job.size == 1) return;
  require_proofs_for(job.secret);
  if (job.rank == 0)
    gather_as_root();
  else
    join_root();
}

void rendezvous::gather_as_root() {
  const auto until = clock::now() + job_.timeout;
  admission door(job_, listen_at(job_));
  while (!door.complete() && clock::now() < until) door.turn();
  std::string failure;
  if (!door.complete()) {
    failure = "of " + std::to_string(job_.size) + " ranks, these did not appear " +
              within(job_.timeout) + ": " + door.missing();
    if (!door.trouble().empty())
      failure += "; rank 0 could not accept connections: " + door.trouble();
  }
  peers_ = std::move(door).members();
  const answer last{failure.empty() ? answer_kind::complete : answer_kind::incomplete, failure};
  for (const socket_fd& p : peers_)
    if (p.valid()) send_message(p.get(), encode(last), clock::now() + std::chrono::seconds(1));
  if (!failure.empty()) throw error(errc::timed_out, failure);
}

void rendezvous::join_root() {
  // Rank 0 may be as late as the time-out allows, and then still reports the missing ranks.
  const auto until = clock::now() + job_.timeout;
  const auto longer = until + job_.timeout;
  const addresses found = resolve(job_, 0);
  // Rank 0 closes connections when strangers leave it no room: then this rank comes again.
  for (;;) {
    root_ = connect_to(*found, silence_of(job_), until);
    if (root_.valid() && introduce(longer)) break;
    if (clock::now() >= until)
      throw error(errc::timed_out, "rank " + std::to_string(job_.rank) +
                                       ": rank 0 did not appear at ORIEL_ROOT=" +
                                       root_address(job_) + " " + within(job_.timeout));
    std::this_thread::sleep_for(retry_pause);
  }
  const answer last = hear_root(longer);
  if (last.kind == answer_kind::incomplete) give_up(last);
  if (last.kind != answer_kind::complete) give_up(explained(io_result::malformed, 0, job_));
}

bool rendezvous::introduce(deadline until) {
  const hello mine{job_.rank, job_.size, fresh_nonce()};
  std::string bytes;
  const auto ask = [&](const std::string& message) {
    io_result r = send_message(root_.get(), message, until);
    if (r == io_result::done) r = receive_message(root_.get(), bytes, longest_answer, until);
    if (r == io_result::late) give_up(explained(r, 0, job_));
    if (r == io_result::malformed) no_root_of_this_job();
    return r == io_result::done;
  };
  if (!ask(encode(mine))) return false;
  const auto asked = to_array(expect(answer_kind::challenge, bytes));
  if (!asked) no_root_of_this_job();
  if (!ask(to_bytes(prove(job_.secret, speaker::joiner, mine, *asked)))) return false;
  const auto theirs = to_array(expect(answer_kind::welcome, bytes));
  if (!theirs || !same(*theirs, prove(job_.secret, speaker::root, mine, *asked)))
    no_root_of_this_job();
  return true;
}

answer rendezvous::hear_root(deadline until) {
  std::string bytes;
  const io_result r = receive_message(root_.get(), bytes, longest_answer, until);
  if (r != io_result::done) give_up(explained(r, 0, job_));
  return decode_answer(bytes).value_or(answer{});
}

std::string rendezvous::expect(answer_kind kind, std::string_view bytes) const {
  const auto heard = decode_answer(bytes);
  if (heard && heard->kind == answer_kind::refusal)
    throw error(errc::arg,
                "rank 0 refused rank " + std::to_string(job_.rank) + ": " + heard->bytes);
  if (!heard || heard->kind != kind) no_root_of_this_job();
  return heard->bytes;
}

void rendezvous::no_root_of_this_job() const {
  throw error(errc::arg, "rank " + std::to_string(job_.rank) +
                             ": what listens at ORIEL_ROOT=" + root_address(job_) +
                             " is not rank 0 of this job: it does not know the job's secret "
                             "(ORIEL_JOB_SECRET), or is no oriel of this version");
}

std::vector<std::string> rendezvous::allgather(const std::string& mine) {
  if (job_.size == 1) return {mine};
  const auto until = clock::now() + job_.timeout;
  return job_.rank == 0 ? gather(mine, until) : contribute(mine, until);
}

std::vector<std::string> rendezvous::gather(const std::string& mine, deadline until) {
  std::vector<std::string> all(peers_.size());
  all[0] = mine;
  answer outcome{answer_kind::gathered, {}};
  for (std::size_t r = 1; r < peers_.size() && outcome.kind == answer_kind::gathered; ++r) {
    const io_result read = receive_message(peers_[r].get(), all[r], longest_message, until);
    if (read != io_result::done) outcome = explained(read, r, job_);
  }
  if (outcome.kind != answer_kind::gathered) {
    for (const socket_fd& p : peers_)
      if (p.valid()) send_message(p.get(), encode(outcome), clock::now() + std::chrono::seconds(1));
    give_up(outcome);
  }
  outcome.bytes = encode_list(all);
  const std::string whole = encode(outcome);
  for (std::size_t r = 1; r < peers_.size(); ++r) {
    const io_result sent = send_message(peers_[r].get(), whole, until);
    if (sent != io_result::done) give_up(explained(sent, r, job_));
  }
  return all;
}

std::vector<std::string> rendezvous::contribute(const std::string& mine, deadline until) {
  std::string bytes;
  io_result r = send_message(root_.get(), mine, until);
  if (r == io_result::done) r = receive_message(root_.get(), bytes, longest_message, until);
  if (r != io_result::done) give_up(explained(r, 0, job_));
  const auto outcome = decode_answer(bytes);
  if (outcome && (outcome->kind == answer_kind::incomplete || outcome->kind == answer_kind::broken))
    give_up(*outcome);
  auto all = outcome && outcome->kind == answer_kind::gathered ? decode_list(outcome->bytes)
                                                               : std::nullopt;
  if (!all || all->size() != static_cast<std::size_t>(job_.size))
    give_up(explained(io_result::malformed, 0, job_));
  return std::move(*all);
}

}  // namespace oriel::sessions
