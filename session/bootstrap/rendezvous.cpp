#include "session/bootstrap/rendezvous.hpp"

#include <cstdio>
#include <memory>

#include "oriel/errc.hpp"
#include "session/bootstrap/announcing.hpp"
#include "session/bootstrap/given_tree.hpp"
#include "session/bootstrap/handshake.hpp"
#include "session/bootstrap/joining.hpp"
#include "session/bootstrap/linking.hpp"
#include "session/bootstrap/named_place.hpp"
#include "session/bootstrap/peer_failure.hpp"

namespace oriel::sessions {
namespace {

using clock = std::chrono::steady_clock;

}  // namespace

rendezvous::rendezvous(const job_description& job, int largest_star) : job_(job) {
  if (job.size == 1) return;
  require_proofs_for(job.secret);
  const bool star = job.size <= largest_star;
  const tree_place place =
      star ? place_in_star(job.rank, job.size) : place_in_tree(job.rank, job.size);
  if (!star && job.parent) {
    tree_connections tree = open_given_tree(job_, place);
    gathering_ =
        std::make_unique<gathering>(job_, place, std::move(tree.parent), std::move(tree.children));
    return;
  }
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
  admission door(job_, listen_as_told(job_), children_of(place_in_star(0, job_.size)));
  while (!door.complete() && clock::now() < until) door.turn();
  std::string failure;
  if (!door.complete()) {
    failure = absence_of(door.missing(), job_);
    if (!door.trouble().empty())
      failure += "; rank 0 could not accept connections: " + door.trouble();
  }
  std::vector<admission::member> ranks = door.take_joined();
  for (admission::member& m : ranks) contacts_.emplace_back(std::exchange(m.fd, socket_fd()));
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
  const auto longer = clock::now() + 2 * job_.timeout;
  socket_fd listening;
  connection contact = join(root_of(job_), job_, [&](int connected) {
    if (!star && !place.children.empty() && !listening.valid())
      listening = listen_beside(connected);
    return hello{
        .rank = job_.rank,
        .size = job_.size,
        .number = fresh_nonce(),
        .port = listening.valid() ? own_address(listening.get()).port() : std::uint16_t{0}};
  });
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
