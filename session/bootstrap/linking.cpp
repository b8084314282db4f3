#include "session/bootstrap/linking.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "session/bootstrap/admission.hpp"
#include "session/bootstrap/joining.hpp"
#include "session/bootstrap/peer_failure.hpp"

namespace oriel::sessions {
namespace {

using clock = std::chrono::steady_clock;

// A rank that cannot connect with its parent for so long reports that.
constexpr std::chrono::milliseconds longest_knock{5000};
// As does one that so often finds nobody there: a parent listens before it tells its port.
constexpr int most_refusals = 5;

class member {
 public:
  member(const job_description& job, const tree_place& place, connection& contact)
      : job_(job), place_(place), contact_(contact) {}

  std::optional<tree_connections> link(socket_fd listening,
                                       const std::optional<socket_address>& parent) {
    if (!let_children_in(std::move(listening))) return std::nullopt;
    if (parent && !join(*parent)) return std::nullopt;
    if (!all_are_linked()) return std::nullopt;
    if (!parent) made_.parent = std::move(contact_);
    contact_ = {};
    for (connection& c : made_.children) c.send(encode(answer{answer_kind::linked, ""}), until_);
    return std::move(made_);
  }

 private:
  bool let_children_in(socket_fd listening) {
    if (place_.children.empty()) return true;
    admission door(job_, std::move(listening), children_of(place_));
    while (!door.complete()) {
      door.turn();
      if (star_is_chosen()) return false;
      if (clock::now() > until_) give_up(failure_of(io_result::late, 0, job_));
    }
    for (admission::member& m : door.take_joined()) made_.children.emplace_back(std::move(m.fd));
    return true;
  }

  // Also false where this rank has reported that it cannot, and rank 0 has chosen.
  bool join(const socket_address& parent) {
    const std::string where = in_words(parent);
    const std::string pair = "rank " + std::to_string(place_.rank) + " does not reach rank " +
                             std::to_string(place_.parent) + " at " + where;
    const deadline until =
        clock::now() + std::min<std::chrono::milliseconds>(longest_knock, job_.timeout / 4);
    try {
      int refusals = 0;
      // The parent closes connections when strangers leave it no room: then this rank comes again.
      do {
        socket_fd s = connect_to(parent, job_, until, contact_.fd());
        const hello mine{
            .rank = job_.rank, .size = job_.size, .number = fresh_nonce(), .to = place_.parent};
        const bool in = s.valid() && introduce(s.get(), job_, mine, where, until_, contact_.fd()) ==
                                         io_result::done;
        if (in) {
          made_.parent = connection(std::move(s));
          return true;
        }
        if (wait_ready(contact_.fd(), POLLIN, clock::now() + retry_pause) == io_result::done) {
          if (star_is_chosen()) return false;
        } else if (!s.valid()) {
          ++refusals;
        }
      } while (clock::now() < until && refusals < most_refusals);
      report(pair);
    } catch (const error& e) {
      // What listens there is another, or does not let this rank in; or this host has no sockets of
      // that family.
      if (e.code() != errc::arg && e.code() != errc::system) throw;
      report(e.what());
    }
    while (!star_is_chosen()) wait_for_either(-1);
    return false;
  }

  // Also false where it has been chosen that ranks gather at rank 0.
  bool all_are_linked() {
    connection& up = made_.parent.valid() ? made_.parent : contact_;
    if (&up == &contact_) up.send(encode(answer{answer_kind::linked, ""}), until_);
    std::string bytes;
    for (bool lost = false;;) {
      wait_for_either(lost ? -1 : up.fd());
      if (!lost) {
        const io_result r = up.read(bytes);
        const auto heard = r == io_result::done ? decode_answer(bytes) : std::nullopt;
        if (heard && heard->kind == answer_kind::linked) return true;
        if (&up == &contact_) {
          if (r != io_result::late && is_star(r, bytes)) return false;
          continue;
        }
        if (heard && is_failure(*heard)) give_up(*heard);
        lost = r != io_result::late;
        if (lost) report("rank " + std::to_string(place_.parent) + " is no longer reached");
      }
      if (star_is_chosen()) return false;
    }
  }

  void report(const std::string& hindrance) {
    contact_.send(encode(answer{answer_kind::unlinked, hindrance}), until_);
  }

  // Until rank 0 or the other has sent something.
  void wait_for_either(int other) {
    std::array<pollfd, 2> watched{pollfd{contact_.fd(), POLLIN, 0}, {other, POLLIN, 0}};
    if (!until_late_.wait(watched)) give_up(failure_of(io_result::late, 0, job_));
  }

  bool star_is_chosen() {
    std::string bytes;
    const io_result r = contact_.read(bytes);
    return r != io_result::late && is_star(r, bytes);
  }

  // Of what rank 0 has sent. Where it is neither that it has failed, or its process has ended.
  [[nodiscard]] bool is_star(io_result r, const std::string& bytes) const {
    const auto heard = r == io_result::done ? decode_answer(bytes) : std::nullopt;
    if (heard && heard->kind == answer_kind::unlinked) return true;
    if (heard && is_failure(*heard)) give_up(*heard);
    give_up(failure_of(r == io_result::done ? io_result::malformed : r, 0, job_));
  }

  const job_description& job_;
  const tree_place& place_;
  connection& contact_;
  deadline until_ = clock::now() + 2 * job_.timeout;
  patience until_late_{until_};
  tree_connections made_;
};

// What keeps rank 0's children from being roots of whole subtrees, all of them: nothing where they
// are. Empty where a rank has gone.
std::optional<std::string> hindrance_at_root(const job_description& job, const tree_place& place,
                                             std::vector<connection>& contacts) {
  patience until_late(clock::now() + job.timeout / 2);
  std::vector<pollfd> watched;
  watched.reserve(contacts.size());
  for (const connection& c : contacts) watched.push_back({c.fd(), POLLIN, 0});
  for (std::size_t missing = place.children.size(); missing > 0;) {
    if (!until_late.wait(watched)) return "they are not linked in time";
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      if (watched[i].revents == 0) continue;
      std::string bytes;
      const io_result r = contacts[i].read(bytes);
      if (r == io_result::late) continue;
      if (r != io_result::done) return "";
      const auto heard = decode_answer(bytes);
      if (!heard || heard->kind != answer_kind::linked) return heard ? quoted(heard->bytes) : "";
      --missing;
    }
  }
  return std::nullopt;
}

}  // namespace

bool link_as_root(const job_description& job, const tree_place& place,
                  std::vector<connection>& contacts, std::string& hindrance) {
  const auto found = hindrance_at_root(job, place, contacts);
  hindrance = found.value_or("");
  std::vector<connection*> to;
  if (found)
    to = connection::each_of(contacts);
  else
    for (const tree_place::branch& b : place.children)
      to.push_back(&contacts[static_cast<std::size_t>(b.rank) - 1]);
  const answer decision{found ? answer_kind::unlinked : answer_kind::linked, hindrance};
  connection::send_on_each(to, encode(decision), clock::now() + last_words);
  return !found;
}

std::optional<tree_connections> link_as_member(const job_description& job, const tree_place& place,
                                               connection& contact, socket_fd listening,
                                               const std::optional<socket_address>& parent) {
  return member(job, place, contact).link(std::move(listening), parent);
}

}  // namespace oriel::sessions
