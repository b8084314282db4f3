#include "session/team/shrink_agreement.hpp"

#include "sync/limited_watch.hpp"

namespace oriel::sessions {

errc node_shrink_agreement::agree(bool ready, const std::function<errc()>& speak,
                                  shrink_answer& found) {
  dead_.assign(a_.node_members().size(), false);
  board_.sign_in(a_.where->node_rank(a_.me), a_.turn, ready);
  if (const errc e = wait_for_absent(); e != errc::success) return e;
  while (!board_.has_answer(a_.turn)) {
    const int who = speaker();
    const errc e = who == a_.me ? speak() : wait_for(who);
    if (e != errc::success) return e;
  }
  const auto known = board_.answer(a_.turn);
  if (!known) return errc::peer_failed;
  if (known->found == verdict::agreed && !known->living[static_cast<std::size_t>(a_.me)])
    return errc::peer_failed;
  found = *known;
  return errc::success;
}

errc node_shrink_agreement::wait_for_absent() {
  const auto members = a_.node_members();
  const auto is_absent = [&](std::size_t i) {
    return !dead_[i] && !board_.has_signed_in(static_cast<int>(i), a_.turn);
  };
  const auto complete = [&] {
    for (std::size_t i = 0; i < members.size(); ++i)
      if (is_absent(i)) return false;
    return true;
  };
  // Ends as well when one that is absent has died, which is not waited for any more.
  const sync::conditional_watch watch(*a_.waits, [&] {
    bool news = false;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (is_absent(i) && !a_.look(members[i])) news = dead_[i] = true;
    return news;
  });
  for (;;) {
    const errc e = sync::wait_for(board_.word(), watch, [&](std::uint32_t) {
      return complete() || board_.has_answer(a_.turn);
    });
    if (e != errc::peer_failed) return e;
  }
}

// The lowest that lives, of those that have signed in.
int node_shrink_agreement::speaker() const {
  const auto members = a_.node_members();
  for (std::size_t i = 0; i < members.size(); ++i)
    if (members[i] == a_.me || (!dead_[i] && a_.look(members[i]))) return members[i];
  return a_.me;
}

errc node_shrink_agreement::wait_for(int speaker) {
  const sync::conditional_watch watch(*a_.waits, [&] { return !a_.look(speaker); });
  const errc e = sync::wait_for(board_.word(), watch,
                                [&](std::uint32_t) { return board_.has_answer(a_.turn); });
  return e == errc::peer_failed ? errc::success : e;
}

node_report node_shrink_agreement::report() const {
  node_report all;
  const auto members = a_.node_members();
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] != a_.me && (dead_[i] || !a_.look(members[i])))
      all.absent.push_back(members[i]);
    else
      all.ready = all.ready && board_.is_ready(static_cast<int>(i));
  }
  return all;
}

errc node_shrink_agreement::decide_alone() {
  const node_report all = report();
  if (a_.is_given_up()) return errc::peer_failed;
  shrink_answer decided{all.ready ? verdict::agreed : verdict::unready, {}};
  decided.living.assign(static_cast<std::size_t>(a_.where->size()), true);
  for (const int r : all.absent) decided.living[static_cast<std::size_t>(r)] = false;
  const auto runs = [this](int i) {
    return a_.runs(a_.node_members()[static_cast<std::size_t>(i)]);
  };
  return board_.take(decided, a_.where->place_of(a_.me), a_.turn, a_.where->node_rank(a_.me),
                     *a_.waits, runs);
}

}  // namespace oriel::sessions
