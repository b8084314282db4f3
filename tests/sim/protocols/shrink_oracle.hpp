// What must hold of the answers of one shrink, of a team's members by their ranks in the job:
//
// - All that have returned and live have the same answer. Who has died, or was given up, may have
//   got one that nobody else has but those of its node.
// - Who lives is in it, however late it has called; so whoever is left out has died.
// - Who has died without calling is not in it, nor who was dead when another of its node called: a
//   node reports once all of it that live have called. Deaths after that may show in the next
//   shrink.
// - A team is agreed on where all in it were ready; it is refused as unready where one that called
//   was not, and as cut off where one found so.
// - A call fails by its time-out, or of a rank that was given up, and ends otherwise. That all end
//   is the scheduler's to see.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "session/team/shrink_board.hpp"
#include "tests/sim/protocols/shrink_fates.hpp"

namespace oriel::sim {

class shrink_oracle {
 public:
  shrink_oracle(scheduler& run, const shrink_fates& fates, std::vector<int> members)
      : run_(run), fates_(fates), members_(std::move(members)) {}

  void calls(int me, bool ready) {
    called_.insert(me);
    if (!ready) unready_.insert(me);
    for (const int r : members_)
      if (fates_.survives(me) && fates_.on_one_node(r, me) && !run_.alive(r))
        dead_before_.insert(r);
  }
  void finds_itself_cut_off() { cut_off_ = true; }
  // Whether it is the first.
  bool returns(int me, const sessions::shrink_answer& found) {
    const bool survives = fates_.survives(me);
    for (const auto& [other, theirs] : returned_)
      must(!((survives && fates_.survives(other)) || fates_.on_one_node(me, other)) ||
               is_same(found, theirs),
           "ranks " + std::to_string(me) + " and " + std::to_string(other) + " do not agree");
    returned_.emplace_back(me, found);
    if (!survives) return false;
    if (found.found == sessions::verdict::agreed)
      check(found.living);
    else
      must(found.found == sessions::verdict::unready ? !unready_.empty() : cut_off_,
           "a team is refused without a reason");
    return !std::exchange(any_survivor_has_returned_, true);
  }
  [[nodiscard]] const std::vector<int>& members() const noexcept { return members_; }

 private:
  static bool is_same(const sessions::shrink_answer& a, const sessions::shrink_answer& b) {
    return a.found == b.found && (a.found != sessions::verdict::agreed || a.living == b.living);
  }
  void check(const std::vector<bool>& living) const {
    must(living.size() == members_.size(), "an answer is of another team");
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const int r = members_[i];
      const std::string who = "rank " + std::to_string(r);
      if (!living[i]) {
        must(!fates_.survives(r), who + " lives, and is left out");
        continue;
      }
      must(called_.contains(r), who + " is in the team, and has not called");
      must(!dead_before_.contains(r), who + " is in the team, and had died");
      must(!unready_.contains(r), who + " is in the team, and was not ready");
    }
  }

  scheduler& run_;
  const shrink_fates& fates_;
  std::vector<int> members_;
  std::set<int> called_, unready_, dead_before_;
  bool cut_off_ = false, any_survivor_has_returned_ = false;
  std::vector<std::pair<int, sessions::shrink_answer>> returned_;
};

}  // namespace oriel::sim
