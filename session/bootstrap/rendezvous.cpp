#include "session/bootstrap/rendezvous.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>

#include "oriel/errc.hpp"
#include "session/bootstrap/announcing.hpp"
#include "session/bootstrap/handshake.hpp"
#include "session/bootstrap/joining.hpp"
#include "session/bootstrap/linking.hpp"
#include "session/bootstrap/peer_failure.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

using clock = std::chrono::steady_clock;

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

socket_address address_in(const addrinfo& found) {
  socket_address a;
  std::memcpy(&a.bytes, found.ai_addr, found.ai_addrlen);
  a.length = found.ai_addrlen;
  return a;
}

std::vector<int> all_but_rank_0(int size) {
  std::vector<int> ranks(static_cast<std::size_t>(size) - 1);
  std::iota(ranks.begin(), ranks.end(), 1);
  return ranks;
}

}  // namespace

rendezvous::rendezvous(const job_description& job, int largest_star) : job_(job) {
  if (job.size == 1) return;
  require_proofs_for(job.secret);
  const bool star = job.size <= largest_star;
  const tree_place place =
      star ? place_in_star(job.rank, job.size) : place_in_tree(job.rank, job.size);
  if (job.rank == 0)
    gather_as_root(place, star);
  else
    join_root(place, star);
}

void rendezvous::gather_as_root(const tree_place& place, bool star) {
  std::string hindrance = invite(admit_all(), star);
  if (!star && hindrance.empty() && link_as_root(job_, place, contacts_, hindrance)) {
    std::vector<connection> children;
    for (const tree_place::branch& b : place.children)
      children.push_back(std::move(contacts_[static_cast<std::size_t>(b.rank) - 1]));
    std::erase_if(contacts_, [](const connection& c) { return !c.valid(); });
    gathering_ = std::make_unique<gathering>(job_, place, connection{}, std::move(children));
    return;
  }
  if (!hindrance.empty())
    std::fprintf(stderr, "oriel: all ranks meet at rank 0, which takes longer: %s\n",
                 hindrance.c_str());
  gathering_ = std::make_unique<gathering>(job_, place_in_star(0, job_.size), connection{},
                                           std::exchange(contacts_, {}));
}

std::vector<admission::member> rendezvous::admit_all() {
  const auto until = clock::now() + job_.timeout;
  admission door(job_, listen_at(job_), all_but_rank_0(job_.size));
  while (!door.complete() && clock::now() < until) door.turn();
  std::string failure;
  if (!door.complete()) {
    failure = "of " + std::to_string(job_.size) + " ranks, these did not appear " +
              within(job_.timeout) + ": " + door.missing();
    if (!door.trouble().empty())
      failure += "; rank 0 could not accept connections: " + door.trouble();
  }
  std::vector<admission::member> ranks = std::move(door).members();
  for (admission::member& m : ranks)
    if (m.fd.valid()) contacts_.emplace_back(std::exchange(m.fd, socket_fd()));
  if (failure.empty()) return ranks;
  tell_contacts({answer_kind::incomplete, failure});
  throw error(errc::timed_out, failure);
}

std::string rendezvous::invite(const std::vector<admission::member>& ranks, bool star) {
  std::string hindrance;
  std::vector<std::optional<socket_address>> parents(ranks.size());
  if (!star) parents = places_of_parents(ranks, hindrance);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    answer all{answer_kind::complete, parents[i] ? encode(*parents[i]) : ""};
    if (!hindrance.empty()) all = {answer_kind::unlinked, hindrance};
    contacts_[i].send(encode(all), clock::now() + last_words);
  }
  return hindrance;
}

void rendezvous::tell_contacts(const answer& what) {
  connection::send_on_each(connection::each_of(contacts_), encode(what), clock::now() + last_words);
}

void rendezvous::join_root(const tree_place& place, bool star) {
  // Rank 0 may be as late as the time-out allows, and then still reports the missing ranks.
  const auto until = clock::now() + job_.timeout;
  const auto longer = until + job_.timeout;
  const socket_address root = address_in(*resolve(job_, 0));
  const std::string where = "ORIEL_ROOT=" + root_address(job_);
  const bool listens = !star && !place.children.empty();
  socket_fd listening;
  connection contact;
  // Rank 0 closes connections when strangers leave it no room: then this rank comes again.
  while (!contact.valid()) {
    socket_fd s = connect_to(root, job_, until, -1);
    if (s.valid()) {
      if (listens && !listening.valid()) listening = listen_beside(s.get());
      const hello mine{
          .rank = job_.rank,
          .size = job_.size,
          .number = fresh_nonce(),
          .port = listening.valid() ? own_address(listening.get()).port() : std::uint16_t{0}};
      const io_result r = introduce(s.get(), job_, mine, where, longer, -1);
      if (r == io_result::late) give_up(failure_of(r, 0, job_));
      if (r == io_result::done) contact = connection(std::move(s));
    }
    if (contact.valid()) break;
    if (clock::now() >= until)
      throw error(errc::timed_out, "rank " + std::to_string(job_.rank) +
                                       ": rank 0 did not appear at " + where + " " +
                                       within(job_.timeout));
    std::this_thread::sleep_for(retry_pause);
  }
  std::string bytes;
  if (const io_result r = contact.receive(bytes, longer); r != io_result::done)
    give_up(failure_of(r, 0, job_));
  const answer last = decode_answer(bytes).value_or(answer{});
  if (is_failure(last)) give_up(last);
  const bool told_star = !star && last.kind == answer_kind::unlinked;
  const auto parent = decode_address(last.bytes);
  if (!told_star &&
      (last.kind != answer_kind::complete || parent.has_value() == (star || place.parent == 0)))
    give_up(failure_of(io_result::malformed, 0, job_));
  std::optional<tree_connections> tree;
  if (!star && !told_star)
    tree = link_as_member(job_, place, contact, std::move(listening), parent);
  if (tree)
    gathering_ = std::make_unique<gathering>(job_, place, std::move(tree->parent),
                                             std::move(tree->children));
  else
    gathering_ = std::make_unique<gathering>(job_, place_in_star(job_.rank, job_.size),
                                             std::move(contact), std::vector<connection>{});
}

std::vector<std::string> rendezvous::allgather(const std::string& mine) {
  if (job_.size == 1) return {mine};
  try {
    auto all = gathering_->allgather(mine);
    // All have heard by now that they are a tree.
    contacts_.clear();
    return all;
  } catch (const error& e) {
    // Some may wait for that yet, below a rank that has died.
    tell_contacts(failure_of(e));
    contacts_.clear();
    throw;
  }
}

traffic rendezvous::messages() const noexcept {
  traffic sum = gathering_ == nullptr ? traffic{} : gathering_->counted();
  for (const connection& c : contacts_) sum = sum + c.counted();
  return sum;
}

}  // namespace oriel::sessions
