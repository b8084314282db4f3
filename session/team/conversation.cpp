#include "session/team/conversation.hpp"

#include <utility>

#include "sync/limited_watch.hpp"

namespace oriel::sessions {

conversation::conversation(messenger& messages, std::uint64_t group, shrink_board board, agreeing a,
                           std::function<bool()> cut_off)
    : messages_(messages),
      group_(group),
      board_(board),
      a_(std::move(a)),
      cut_off_(std::move(cut_off)),
      reports_(static_cast<std::size_t>(a_.where->nodes())) {}

int conversation::first_living_from(int place) const {
  while (!lives(a_.where->at_place(place))) ++place;
  return place;
}

// A rank; below 0 where there is none.
int conversation::first_living_on(int node) const {
  for (const int r : a_.where->ranks_on(node))
    if (lives(r)) return r;
  return -1;
}

void conversation::tell(int r, const message_tag& tag, const shrink_text& said) {
  messages_.send(world(r), tag, said.written(a_.where->size()));
}

errc conversation::hear(int from, const message_tag& tag, const sync::peer_watch& waits) {
  const sync::conditional_watch watch(waits, [&] { return !a_.look(from); });
  return messages_.receive(world(from), tag, heard_, watch);
}

errc conversation::take(const shrink_text& answer, int coordinator) {
  const auto members = a_.node_members();
  const auto runs = [&](int i) { return a_.runs(members[static_cast<std::size_t>(i)]); };
  return board_.take(answer.answer(a_.where->size()), coordinator, a_.turn,
                     a_.where->node_rank(a_.me), *a_.waits, runs);
}

errc conversation::speak(const std::function<node_report()>& report) {
  while (!board_.has_answer(a_.turn)) {
    const int first = board_.first_coordinator(a_.turn);
    const int mine = a_.where->place_of(a_.me);
    if (first > mine) return errc::peer_failed;
    const int coordinator = first_living_from(first);
    if (a_.is_given_up()) return errc::peer_failed;
    if (!board_.give_up_before(coordinator, a_.turn)) break;
    const errc e = coordinator == mine ? coordinate(report) : listen_to(coordinator, report());
    if (e != errc::success) return e;
  }
  return errc::success;
}

errc conversation::listen_to(int coordinator, const node_report& mine) {
  if (a_.is_given_up()) return errc::peer_failed;
  if (!answers_.contains(coordinator)) {
    const int r = a_.where->at_place(coordinator);
    if (reported_to_.insert(coordinator).second)
      tell(r, tag(turn_of_reports(), coordinator),
           {shrink_text::kind::report,
            mine.ready ? verdict::agreed : verdict::unready,
            {mine.absent.begin(), mine.absent.end()}});
    const errc e = hear(r, tag(turn_of_answers(), coordinator), *a_.waits);
    if (e == errc::peer_failed) return errc::success;
    if (e != errc::success) return e;
    const auto said = shrink_text::read(heard_, a_.where->size());
    if (!said || said->what != shrink_text::kind::answer) return errc::peer_failed;
    answers_.emplace(coordinator, *said);
  }
  const errc e = take(answers_.at(coordinator), coordinator);
  // The node has given the coordinator up meanwhile.
  return e == errc::peer_failed ? errc::success : e;
}

errc conversation::coordinate(const std::function<node_report()>& report) {
  const int mine = a_.where->place_of(a_.me);
  if (!answers_.contains(mine)) {
    if (const errc e = collect(); e != errc::success) return e;
    if (!answers_.contains(mine)) answers_.emplace(mine, decide(report()));
  }
  if (a_.is_given_up()) return errc::peer_failed;
  if (const errc e = take(answers_.at(mine), mine); e != errc::success) return e;
  // It may be another one's, where others of this node have given this rank up.
  const auto taken = board_.answer(a_.turn);
  if (!taken) return errc::peer_failed;
  const shrink_text said = shrink_text::of(*taken);
  for (const auto& node : reports_)
    if (node) tell(node->from, tag(turn_of_answers(), mine), said);
  return errc::success;
}

// From each node whose ranks have not all died, until one has an answer.
errc conversation::collect() {
  for (int node = 0; node < a_.where->nodes(); ++node) {
    auto& of_node = reports_[static_cast<std::size_t>(node)];
    while (node != a_.node() && !of_node) {
      const int r = first_living_on(node);
      if (r < 0) break;
      const errc e = hear_report_of(r);
      if (e == errc::peer_failed) continue;
      if (e != errc::success) return e;
      const auto said = shrink_text::read(heard_, a_.where->size());
      if (!said) return errc::peer_failed;
      if (said->what == shrink_text::kind::answer) {
        answers_.emplace(a_.where->place_of(a_.me), *said);
        return errc::success;
      }
      of_node = heard_report{r, *said};
    }
  }
  return errc::success;
}

errc conversation::hear_report_of(int r) {
  const message_tag report = tag(turn_of_reports(), a_.where->place_of(a_.me));
  if (!asked_.contains(r)) {
    const sync::limited_watch soon(*a_.waits, usual_delay);
    const errc e = hear(r, report, soon);
    if (e != errc::timed_out) return e;
    asked_.insert(r);
    tell(r, tag(turn_of_questions(), a_.where->place_of(a_.me)),
         {.what = shrink_text::kind::question});
  }
  return hear(r, report, *a_.waits);
}

// Of nodes without a report all ranks have died.
shrink_text conversation::decide(const node_report& mine) const {
  shrink_text decided{.what = shrink_text::kind::answer};
  bool all_ready = mine.ready;
  std::vector<bool> absent(static_cast<std::size_t>(a_.where->size()));
  for (const int r : mine.absent) absent[static_cast<std::size_t>(r)] = true;
  for (const auto& node : reports_) {
    if (!node) continue;
    for (const int r : node->said.ranks) absent[static_cast<std::size_t>(r)] = true;
  }
  for (int r = 0; r < a_.where->size(); ++r) {
    const int node = a_.where->node_of(r);
    const auto& said = reports_[static_cast<std::size_t>(node)];
    if (absent[static_cast<std::size_t>(r)] || (node != a_.node() && !said) || !lives(r))
      decided.ranks.push_back(r);
    else if (node != a_.node())
      all_ready = all_ready && said->said.found == verdict::agreed;
  }
  decided.found = cut_off_() ? verdict::cut_off : all_ready ? verdict::agreed : verdict::unready;
  if (decided.found != verdict::agreed) decided.ranks.clear();
  return decided;
}

void conversation::answer_others(const shrink_answer& known) {
  std::vector<std::byte> text = shrink_text::of(known).written(a_.where->size());
  std::vector<int> heard_from_me;
  for (const int place : reported_to_) heard_from_me.push_back(world(a_.where->at_place(place)));
  // A coordinator that asks gets it in the place of a report, which it has got from some.
  messages_.answer_by_itself(
      {group_, turn_of_questions(), turn_of_reports(), text, std::move(heard_from_me)});
  messages_.answer_by_itself({group_, turn_of_reports(), turn_of_answers(), std::move(text), {}});
}

errc agree(node_shrink_agreement& on_node, conversation* talk, bool ready, shrink_answer& found) {
  const auto speak = [&] {
    if (talk == nullptr) return on_node.decide_alone();
    return talk->speak([&on_node] { return on_node.report(); });
  };
  const errc e = on_node.agree(ready, speak, found);
  if (e == errc::success && talk != nullptr) talk->answer_others(found);
  return e;
}

}  // namespace oriel::sessions
