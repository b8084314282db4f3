// What all ranks of a simulated session do together beside their window: teams, hash maps, and what
// survivors do after a death.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oriel/hash_map.hpp"
#include "oriel/session.hpp"
#include "tests/sim/protocols/session_oracle.hpp"
#include "tests/sim/protocols/session_program.hpp"

namespace oriel::sim {

class session_rounds {
 public:
  session_rounds(const program& p, session_oracle& oracle, session& job, int me)
      : program_(p), oracle_(oracle), job_(job), me_(me) {}

  // These return false where a rank has died. In some order each team's ranks are those that it
  // should have; a window on it is theirs alone.
  bool split(const act& a) {
    return survives([&] { return split_and_count(a); });
  }
  bool map(const act& a) {
    return survives([&] { return fill_and_read(a); });
  }

  // Survivors make teams of survivors until one of them works. Requires: a call has failed.
  void shrink() {
    team now = job_.world();
    for (int turn = 0; turn <= program_.ranks; ++turn) {
      std::vector<int> members;
      const bool made = survives([&] {
        const std::vector<int> before = ranks_of(now);
        now = now.shrink();
        members = ranks_of(now);
        oracle_.agree(before, members);
        return true;
      });
      if (!made) return;
      must(std::count(members.begin(), members.end(), me_) == 1, "a survivor is not in its team");
      const bool works = survives([&] {
        const int sum = now.allreduce(me_, atomic_op::sum);
        int all = 0;
        for (const int r : members) all += r;
        must(sum == all, "a team of survivors has not summed up its ranks");
        return true;
      });
      if (works) return;
    }
    must(false, "survivors have made " + std::to_string(program_.ranks + 1) + " teams in vain");
  }

 private:
  template <class Work>
  bool survives(Work work) {
    try {
      return work();
    } catch (const error& e) {
      must(e.code() == errc::peer_failed && any_dead(program_.ranks),
           "rank " + std::to_string(me_) + " has thrown: " + e.what());
      return false;
    }
  }
  static std::vector<int> ranks_of(const team& t) {
    std::vector<int> found;
    for (int i = 0; i < t.size(); ++i) found.push_back(t.world_rank(rank{i}).value);
    return found;
  }

  bool split_and_count(const act& a) {
    const auto color = [&a](int r) { return a.n >> r & 1; };
    const bool backwards = a.other % 2 == 0;
    std::vector<int> expected;
    for (int r = 0; r < program_.ranks; ++r)
      if (color(r) == color(me_)) expected.push_back(r);
    if (backwards) std::reverse(expected.begin(), expected.end());
    const team part = job_.world().split(color(me_), backwards ? -me_ : 0);
    must(ranks_of(part) == expected, "a team has not the ranks that it should have");
    auto counts =
        session_words::allocate(part, 1, assertion::local_load_store | assertion::shared_lock);
    epoch all = counts.lock_all();
    if (!well(program_, all.opened(), "lock_all of a team")) return false;
    for (int r = 0; r < part.size(); ++r)
      if (!well(program_, counts.add(rank{r}, disp{0}, 1), "an accumulate in a team")) return false;
    if (!well(program_, all.end(), "unlock_all of a team") ||
        !well(program_, part.barrier(), "a barrier of a team"))
      return false;
    counts.sync().or_throw();
    must(counts.local()[0] == expected.size(), "not every rank of a team has added once");
    return true;
  }

  // Keys that all have, and one of each rank.
  bool fill_and_read(const act& a) {
    const auto shared = static_cast<std::uint64_t>(1 + a.n % 4);
    const auto own = [](int r) { return std::uint64_t{100} + static_cast<std::uint64_t>(r); };
    hash_map<std::uint64_t, std::uint64_t> m(job_.world(), 64);
    {
      auto p = m.insert_only();
      for (std::uint64_t key = 1; key <= shared; ++key)
        if (!kept(p.fetch_add(key, key).outcome)) return false;
      if (!kept(p.insert(own(me_), own(me_)).outcome) || !kept(p.end())) return false;
    }
    {
      auto p = m.mixed();
      if (!kept(p.fetch_add(1, 1).outcome)) return false;
      if (me_ % 2 == 0 && !kept(p.erase(own(me_)).outcome)) return false;
      if (!kept(p.end())) return false;
    }
    const auto ranks = static_cast<std::uint64_t>(program_.ranks);
    must(m.size() == shared + ranks / 2, "a map has not the elements that it should have");
    auto p = m.find_only();
    for (std::uint64_t key = 1; key <= shared; ++key) {
      std::uint64_t value = 0;
      bool found = false;
      if (!kept(p.find({&key, 1}, {&value, 1}, {&found, 1}).outcome)) return false;
      must(found && value == ranks * (key == 1 ? 2 : key), "a map's sum is wrong");
    }
    for (int r = 0; r < program_.ranks; ++r) {
      const std::uint64_t key = own(r);
      std::uint64_t value = 0;
      bool found = false;
      if (!kept(p.find({&key, 1}, {&value, 1}, {&found, 1}).outcome)) return false;
      must(found == (r % 2 == 1) && (!found || value == key), "a map has not what a rank inserted");
    }
    return kept(p.end());
  }
  // Whether a call on a map has succeeded: a slot that a rank was writing as it died stays so.
  bool kept(status s) {
    if (s.code() == errc::timed_out && any_dead(program_.ranks)) return false;
    return well(program_, s, "a call on a map");
  }

  const program& program_;
  session_oracle& oracle_;
  session& job_;
  int me_;
};

}  // namespace oriel::sim
