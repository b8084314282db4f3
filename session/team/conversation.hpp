// The agreement between nodes on the survivors of a team, with a rotating coordinator. Of each node
// one rank speaks (shrink_agreement.hpp). The lowest rank that is alive, in the order of nodes,
// coordinates: it collects a report from each node, decides, and tells the nodes the answer. When
// it dies the next one coordinates, which may be of the same node, and collects again.
//
// There is one answer, though a coordinator may die while it tells it (Chandra and Toueg, 1996: a
// rotating coordinator and a perfect failure detector):
//
// - A node takes no answer of a coordinator that it has found dead before. Both are written to its
//   board, in one order: that it gives one up, before it reports to the next; and that it takes an
//   answer, before anybody uses that. So it holds for all that speak for the node after each other.
// - Whoever has an answer gives it to all that ask for it, by itself, whatever the program does
//   (messenger::answer_by_itself). So a report that comes late is answered, and a coordinator that
//   waits for a node's report asks whether the node has an answer already, which it repeats then.
//
// So all that live come to one answer, whoever dies, and how many do: single ranks, those that
// speak for their nodes, coordinators, and whole nodes, one after the other or together. What is
// lost with the dead is what nobody else has: where all die that have an answer, the others agree
// on another one, without them.
//
// A network partition could leave an answer in each part. The part that lost more ranks to silence
// than are left in it, or as many and the lowest of them, makes no team: it may be the one that was
// cut off.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "oriel/errc.hpp"
#include "session/team/messenger.hpp"
#include "session/team/shrink_agreement.hpp"
#include "session/team/shrink_board.hpp"
#include "session/team/shrink_text.hpp"

namespace oriel::sessions {

class conversation {
 public:
  // `group`: a name for the messenger's messages, of this agreement alone. `cut_off()`: this part
  // of the job shall give no team.
  conversation(messenger& messages, std::uint64_t group, shrink_board board, agreeing a,
               std::function<bool()> cut_off);

  // Speaks for the node, whose report is `report()` by now, until its board has an answer. May be
  // called again after timed_out: reports and answers received are kept, and the others may have
  // agreed meanwhile. peer_failed: this rank's node, or a coordinator, goes on without it.
  errc speak(const std::function<node_report()>& report);
  // By every rank that has the answer, before it is used.
  void answer_others(const shrink_answer&);

 private:
  // After which a coordinator asks a node that has not reported.
  static constexpr std::chrono::milliseconds usual_delay{10};

  struct heard_report {
    int from = 0;
    shrink_text said;
  };
  [[nodiscard]] int world(int r) const { return a_.where->world_rank(r); }
  // Of, and to, the coordinator at a place.
  [[nodiscard]] std::uint32_t turn_of_reports() const noexcept { return 3 * a_.turn; }
  [[nodiscard]] std::uint32_t turn_of_answers() const noexcept { return 3 * a_.turn + 1; }
  [[nodiscard]] std::uint32_t turn_of_questions() const noexcept { return 3 * a_.turn + 2; }
  [[nodiscard]] message_tag tag(std::uint32_t turn, int place) const noexcept {
    return {group_, turn, static_cast<std::uint32_t>(place)};
  }
  [[nodiscard]] bool lives(int r) const { return r == a_.me || a_.look(r); }
  [[nodiscard]] int first_living_from(int place) const;
  [[nodiscard]] int first_living_on(int node) const;
  void tell(int r, const message_tag&, const shrink_text&);
  errc hear(int from, const message_tag&, const sync::peer_watch&);
  errc take(const shrink_text& answer, int coordinator);
  errc listen_to(int coordinator, const node_report&);
  errc coordinate(const std::function<node_report()>& report);
  errc collect();
  errc hear_report_of(int r);
  [[nodiscard]] shrink_text decide(const node_report& mine) const;

  messenger& messages_;
  std::uint64_t group_;
  shrink_board board_;
  agreeing a_;
  std::function<bool()> cut_off_;
  std::set<int> reported_to_, asked_;                 // places, ranks
  std::vector<std::optional<heard_report>> reports_;  // received as coordinator, by node
  std::map<int, shrink_text> answers_;                // of coordinators, by place, as they came
  std::vector<std::byte> heard_;
};

// A rank's part in the agreement. `talk`: null where the team is all on one node. What it has found
// is given to whoever asks before the caller uses it.
errc agree(node_shrink_agreement& on_node, conversation* talk, bool ready, shrink_answer& found);

}  // namespace oriel::sessions
