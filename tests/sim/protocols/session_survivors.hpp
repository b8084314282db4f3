// What the survivors of a death in a simulated session do: they make a team of those who are left,
// who play a program in it; and again, until nobody of a team dies.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oriel/team.hpp"
#include "tests/sim/protocols/session_oracle.hpp"
#include "tests/sim/protocols/session_program.hpp"

namespace oriel::sim {

// One a run, of all its ranks.
class session_survivors {
 public:
  explicit session_survivors(const program& p) : program_(p) {}

  // By each rank that has lost another, or has ended its part when one has died.
  // `play(team, program, oracle)` returns whether all calls have succeeded.
  template <class Play>
  void go_on(const team& world, Play play) {
    team now = world;
    for (int turn = 0; turn < program_.ranks; ++turn) {
      if (!survives(program_, [&] { return shrink(now); })) return;
      troupe& t = troupe_of(now);
      if (survives(t.plays, [&] { return sums_up(now); }) &&
          (now.size() == 1 || play(now, t.plays, t.oracle)))
        return;
    }
    must(false, "survivors have made " + std::to_string(program_.ranks) + " teams in vain");
  }

 private:
  struct troupe {
    program plays;
    session_oracle oracle;
  };

  static scheduler& run() { return *scheduler::active(); }
  static int some_steps() { return 4 << run().draw(12); }
  // All that survive get the same team, and are in it. Of several some die meanwhile: at any time,
  // or as the first has returned.
  bool shrink(team& t) {
    const std::vector<int> before = ranks_of(t);
    if (t.size() > 2 && run().chance(8))
      run().kill_within(static_cast<std::uint64_t>(some_steps()));
    t = t.shrink();
    const std::vector<int> left = ranks_of(t);
    auto& others = agreed_[before];
    for (const auto& [who, theirs] : others)
      must(!run().alive(who) || theirs == left, "two ranks do not agree who has survived");
    others.emplace_back(run().process(), left);
    if (others.size() == 1 && before.size() > 2 && run().chance(2))
      if (const int dies = before[run().draw(before.size())]; dies != run().process())
        run().kill_within(dies, 1 + run().draw(1000));
    must(std::count(left.begin(), left.end(), run().process()) == 1,
         "a survivor is not in its team");
    return true;
  }
  static bool sums_up(const team& t) {
    const int sum = t.allreduce(t.me().value, atomic_op::sum);
    must(sum == t.size() * (t.size() - 1) / 2, "a team of survivors has not summed up its ranks");
    return true;
  }

  troupe& troupe_of(const team& t) {
    const std::vector<int> members = ranks_of(t);
    const auto found = troupes_.find(members);
    if (found != troupes_.end()) return found->second;
    return troupes_.try_emplace(members, troupe{program_of(members), session_oracle(t.size())})
        .first->second;
  }
  // They speak with each other at once, since what a death has left behind shows then, and one of
  // several dies meanwhile. Then they do some of what all would have done, in epochs of other
  // kinds.
  [[nodiscard]] program program_of(const std::vector<int>& members) const {
    using epochs = session_kind::epochs;
    constexpr std::array others{epochs::lock_all, epochs::exposures, epochs::locks,
                                epochs::lock_all};
    constexpr std::size_t most = 5;
    program p = program_;
    p.ranks = static_cast<int>(members.size());
    p.processes = members;
    p.variant += static_cast<int>(others[static_cast<std::size_t>(p.variant % 4)]) - p.variant % 4;
    p.nodes.clear();
    for (const int r : members) p.nodes.push_back(program_.nodes[static_cast<std::size_t>(r)]);
    p.acts.clear();
    if (p.ranks == 1) return p;
    p.acts.push_back({static_cast<int>(run().draw(members.size())), session_act::speak, 0,
                      p.ranks > 2 ? some_steps() : 0});
    const bool crews = session_kind(p).has_crews();
    for (act a : program_.acts) {
      if (p.acts.size() == most) break;
      if (a.what == session_act::crew && !crews) continue;
      a.rank %= p.ranks;
      if (a.what != session_act::cut_rail)
        a.other = (a.rank + 1 + a.other % (p.ranks - 1)) % p.ranks;
      p.acts.push_back(a);
    }
    return p;
  }

  program program_;
  std::map<std::vector<int>, troupe> troupes_;  // by members
  // By team: what each of it takes for the survivors. Who has died since may have got an answer
  // that nobody else has.
  std::map<std::vector<int>, std::vector<std::pair<int, std::vector<int>>>> agreed_;
};

}  // namespace oriel::sim
