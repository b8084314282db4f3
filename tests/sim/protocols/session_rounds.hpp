// What all ranks of a simulated session do together beside their window: teams, hash maps, and
// answers that a rank gives by itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "oriel/hash_map.hpp"
#include "oriel/team.hpp"
#include "oriel/window.hpp"
#include "session/team/messenger.hpp"
#include "session/team/team_state.hpp"
#include "tests/sim/protocols/session_program.hpp"

namespace oriel::sim {

class session_rounds {
 public:
  session_rounds(const program& p, const team& of) : program_(p), team_(of), me_(of.me().value) {}

  // These return false where a rank has died. In some order each team's ranks are those that it
  // should have; a window on it is theirs alone.
  bool split(const act& a) {
    return survives(program_, [&] { return split_and_count(a); });
  }
  bool map(const act& a) {
    return survives(program_, [&] { return fill_and_read(a); });
  }
  // As a rank that knows who has survived answers those that ask later. Of several messages, which
  // must arrive in order although each may have to wait.
  bool answer(const act& a) {
    return survives(program_, [&] { return answer_or_ask(a); });
  }

 private:
  bool answer_or_ask(const act& a) {
    detail::team_state& state = *team_.state();
    const std::uint64_t name = state.next_id();
    sessions::messenger* const way = state.session().job().messages();
    if (way == nullptr) return true;
    constexpr std::uint32_t questions = 1, answers = 2;
    std::vector<std::byte> whole(static_cast<std::size_t>(20'000 + 10'000 * (a.n % 3)));
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<std::byte>(i + i / 251);
    if (a.rank == me_) {
      way->answer_by_itself({name, questions, answers, std::move(whole), {}});
      return true;
    }
    if (state.on_node(a.rank)) return true;
    const int from = state.world_rank(a.rank);
    std::vector<std::byte> heard;
    if (!well(program_, way->send(from, {name, questions, 0}, {}), "a question") ||
        !well(program_, way->receive(from, {name, answers, 0}, heard, state.watch()),
              "an answer")) {
      // As calls do that tell the program of a death: it may call other collectives from now on.
      state.session().job().note_bereaved();
      return false;
    }
    must(heard == whole, "an answer is not what the rank has answered");
    return true;
  }

  bool split_and_count(const act& a) {
    const auto color = [&a](int r) { return a.n >> r & 1; };
    const bool backwards = a.other % 2 == 0;
    std::vector<int> expected;
    for (int r = 0; r < program_.ranks; ++r)
      if (color(r) == color(me_)) expected.push_back(team_.world_rank(rank{r}).value);
    if (backwards) std::reverse(expected.begin(), expected.end());
    const team part = team_.split(color(me_), backwards ? -me_ : 0);
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
    hash_map<std::uint64_t, std::uint64_t> m(team_, 64);
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
    if (s.code() == errc::timed_out && any_dead(program_)) return false;
    return well(program_, s, "a call on a map");
  }

  const program& program_;
  team team_;
  int me_;
};

}  // namespace oriel::sim
