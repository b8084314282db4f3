#include "session/bootstrap/given_tree.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/bootstrap/admission.hpp"
#include "session/bootstrap/gathering.hpp"
#include "session/bootstrap/joining.hpp"
#include "session/bootstrap/peer_failure.hpp"

namespace oriel::sessions {
namespace {

using clock = std::chrono::steady_clock;

void append(std::string& list, const char* separator, const std::string& more) {
  if (!list.empty() && !more.empty()) list += separator;
  list += more;
}

// Of the ranks of a subtree, in words.
struct absentees {
  std::string missing;  // "4, 6": those that have not joined
  std::string unheard;  // those behind them, or behind one that does not answer
  std::string trouble;  // why some rank could let none connect

  void add(const absentees& more) {
    append(missing, ", ", more.missing);
    append(unheard, ", ", more.unheard);
    append(trouble, "; ", more.trouble);
  }
  void add_missing(int rank) { append(missing, ", ", std::to_string(rank)); }
  void add_unheard(int first, int end) {
    for (int r = first; r < end; ++r) append(unheard, ", ", std::to_string(r));
  }
};

class opening {
 public:
  opening(const job_description& job, const tree_place& place)
      : job_(job), place_(place), children_(place.children.size()) {}

  tree_connections open() {
    if (!children_.empty()) door_.emplace(job_, listen_as_told(job_), children_of(place_));
    if (place_.rank != 0) join_parent();
    await_subtree();
    if (place_.rank != 0)
      report();
    else if (!is_whole())
      fail({answer_kind::incomplete, in_words(absent())});
    tree_connections made{std::move(parent_), {}};
    for (child& c : children_) made.children.push_back(std::move(c.with));
    connection::send_on_each(connection::each_of(made.children),
                             encode(answer{answer_kind::linked, ""}), clock::now() + last_words);
    return made;
  }

 private:
  struct child {
    connection with{};                 // not valid until it has joined
    bool is_whole = false;             // it and all below it have
    std::optional<absentees> below{};  // what it has reported instead
  };

  void join_parent() {
    parent_ = join(parent_of(job_), job_, [this](int) {
      return hello{
          .rank = job_.rank, .size = job_.size, .number = fresh_nonce(), .to = place_.parent};
    });
  }

  // Until all below have joined, or nobody has time any more to do so and who has not is known.
  void await_subtree() {
    const deadline until = place_.rank == 0 ? start_ + job_.timeout : limit_;
    while (!is_whole() && !time_is_up_)
      if (!turn(until)) late();
    if (is_whole()) return;
    if (door_) trouble_ = door_->trouble();
    door_.reset();
    std::vector<connection*> asked;
    for (child& c : children_)
      if (c.with.valid() && !c.is_whole) asked.push_back(&c.with);
    connection::send_on_each(asked, encode(answer{answer_kind::missing, ""}),
                             clock::now() + last_words);
    const deadline answered = clock::now() + place_.height * allowance_of(job_, place_);
    while (!all_have_reported() && turn(answered)) {
    }
  }

  void late() {
    if (place_.rank != 0) fail(failure_of(io_result::late, place_.parent, job_));
    time_is_up_ = true;
  }

  // To the parent; until it says that all ranks are a tree.
  void report() {
    answer mine{answer_kind::complete, ""};
    if (!is_whole()) {
      const absentees below = absent();
      mine = {answer_kind::missing, encode_list({below.missing, below.unheard, below.trouble})};
    }
    parent_.send(encode(mine), clock::now() + last_words);
    while (!linked_)
      if (!turn(limit_)) late();
  }

  // Deals with what has come, or waits for something; false where it was after `until`.
  bool turn(deadline until) {
    const bool last = clock::now() >= until;
    if (door_)
      let_children_in();
    else
      wait(until);
    for (std::size_t i = 0; i < children_.size(); ++i)
      if (children_[i].with.valid()) hear(children_[i], place_.children[i].rank);
    if (parent_.valid()) hear_parent();
    return !last;
  }

  void let_children_in() {
    std::vector<int> others;
    for (const connection* c : neighbours()) others.push_back(c->fd());
    door_->turn(others);
    for (admission::member& m : door_->take_joined()) {
      const auto at = std::find_if(place_.children.begin(), place_.children.end(),
                                   [&m](const tree_place::branch& b) { return b.rank == m.rank; });
      children_[static_cast<std::size_t>(at - place_.children.begin())].with =
          connection(std::move(m.fd));
    }
  }

  void wait(deadline until) {
    std::vector<pollfd> watched;
    for (const connection* c : neighbours()) watched.push_back({c->fd(), POLLIN, 0});
    patience(until).wait(watched);
  }

  void hear(child& c, int rank) {
    std::string bytes;
    const io_result r = c.with.read(bytes);
    if (r == io_result::late) return;
    if (r != io_result::done) fail(failure_of(r, rank, job_));
    const auto heard = decode_answer(bytes);
    if (heard && heard->kind == answer_kind::complete) {
      c.is_whole = true;
      return;
    }
    auto lists =
        heard && heard->kind == answer_kind::missing ? decode_list(heard->bytes) : std::nullopt;
    if (!lists || lists->size() != 3) fail(failure_in(bytes, rank, job_));
    c.below = absentees{(*lists)[0], (*lists)[1], (*lists)[2]};
  }

  void hear_parent() {
    std::string bytes;
    const io_result r = parent_.read(bytes);
    if (r == io_result::late) return;
    if (r != io_result::done) fail(failure_of(r, place_.parent, job_));
    const auto heard = decode_answer(bytes);
    if (heard && heard->kind == answer_kind::missing)
      time_is_up_ = true;
    else if (heard && heard->kind == answer_kind::linked && is_whole())
      linked_ = true;
    else
      fail(failure_in(bytes, place_.parent, job_));
  }

  [[nodiscard]] bool is_whole() const {
    return std::all_of(children_.begin(), children_.end(),
                       [](const child& c) { return c.is_whole; });
  }
  [[nodiscard]] bool all_have_reported() const {
    return std::all_of(children_.begin(), children_.end(),
                       [](const child& c) { return !c.with.valid() || c.is_whole || c.below; });
  }

  [[nodiscard]] absentees absent() const {
    absentees all;
    if (!trouble_.empty())
      all.trouble =
          "rank " + std::to_string(place_.rank) + " could not accept connections: " + trouble_;
    for (std::size_t i = 0; i < children_.size(); ++i) {
      const child& c = children_[i];
      const tree_place::branch& b = place_.children[i];
      if (!c.with.valid()) {
        all.add_missing(b.rank);
        all.add_unheard(b.rank + 1, b.end);
      } else if (c.below) {
        all.add(*c.below);
      } else if (!c.is_whole) {
        all.add_unheard(b.rank, b.end);
      }
    }
    return all;
  }

  [[nodiscard]] std::string in_words(const absentees& all) const {
    std::string text = absence_of(all.missing.empty() ? "none" : all.missing, job_);
    if (!all.unheard.empty())
      text += "; not heard, since they join through one of these or do not answer: " + all.unheard;
    append(text, "; ", all.trouble);
    return text;
  }

  [[nodiscard]] std::vector<connection*> neighbours() {
    std::vector<connection*> all;
    for (child& c : children_)
      if (c.with.valid()) all.push_back(&c.with);
    if (parent_.valid()) all.push_back(&parent_);
    return all;
  }

  // Passes it on to all neighbours: none of them hears of it otherwise.
  [[noreturn]] void fail(const answer& why) {
    connection::send_on_each(neighbours(), encode(why), clock::now() + last_words);
    give_up(why);
  }

  const job_description& job_;
  const tree_place& place_;
  const deadline start_ = clock::now();
  // Rank 0 may come as late as the time-out allows, waits as long again, and then for reports.
  const deadline limit_ =
      start_ + 2 * job_.timeout + (place_.levels + place_.depth) * allowance_of(job_, place_);
  std::optional<admission> door_;  // open until time is up: whoever is wrong here is told so
  std::string trouble_;
  connection parent_;
  std::vector<child> children_;  // as place_.children
  bool time_is_up_ = false;
  bool linked_ = false;
};

}  // namespace

tree_connections open_given_tree(const job_description& job, const tree_place& place) {
  return opening(job, place).open();
}

}  // namespace oriel::sessions
