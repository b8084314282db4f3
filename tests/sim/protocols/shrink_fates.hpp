// Who dies in programs of shrinks, or is given up by the others, and when each finds out.
#pragma once

#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "tests/sim/protocols/shrink_program.hpp"

namespace oriel::sim {

class shrink_fates {
 public:
  shrink_fates(scheduler& run, const program& p)
      : run_(run), program_(p), ranks_(static_cast<std::size_t>(p.ranks)) {}

  // --- By ranks
  void begins(int me, int shrink) {
    at(me).shrink = shrink;
    at(me).done = {};
  }
  // It is about to do so, or has.
  void does(int me, shrink_act::moment what) {
    stir_neighbours_of(me, static_cast<int>(what));
    const int times = at(me).done[static_cast<std::size_t>(what)]++;
    for (const act& a : program_.acts)
      if (shrink_act::strikes(a) && a.rank == me && a.other == at(me).shrink &&
          shrink_act::when(a) == what && shrink_act::count(a) == times)
        strike(a);
  }
  // Whether `me` takes `other` for alive: by its kernel, where that is on its node; else it finds
  // out up to half a second later. Once it has, that is so for ever.
  bool lives(int me, int other) {
    run_.step("looks who is alive");
    if (me == other) return true;
    const bool alive = runs(other);
    if (!alive && on_one_node(me, other)) return false;
    if (is_estranged(me)) return false;
    if (at(other).is_silent_when_stopped && run_.stands_still(other)) give_up(other);
    if (alive && !of(other).given_up) return true;
    const auto [known, fresh] = known_.try_emplace({me, other}, nanoseconds{});
    if (fresh) known->second = run_.now() + lateness(other);
    if (run_.now() < known->second) return true;
    stir_neighbours_of(me, looks);
    return false;
  }
  // By its kernel: what it has stored was seen before it ended.
  bool runs(int r) {
    if (run_.alive(r)) return true;
    run_.drain_process(r);
    return false;
  }
  // Whether others have given it up, and it has found that out.
  [[nodiscard]] bool is_estranged(int r) const noexcept {
    return of(r).given_up && run_.now() >= of(r).estranged;
  }
  [[nodiscard]] bool survives(int r) const noexcept { return run_.alive(r) && !of(r).given_up; }
  [[nodiscard]] bool on_one_node(int a, int b) const noexcept {
    return program_.nodes[static_cast<std::size_t>(a)] ==
           program_.nodes[static_cast<std::size_t>(b)];
  }

 private:
  static constexpr int looks = shrink_act::moments;  // finds one gone
  struct rank {
    int shrink = -1;
    std::array<int, shrink_act::moments> done{};
    bool is_silent_when_stopped = false;
    bool given_up = false;
    nanoseconds estranged{};
    int is_stirred_by = looks;
  };
  rank& at(int r) noexcept { return ranks_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] const rank& of(int r) const noexcept { return ranks_[static_cast<std::size_t>(r)]; }
  void strike(const act& a) {
    if (!run_.how().sleeps_end) return;  // whoever sleeps would not find out
    std::vector<int> others;
    for (int r = 0; shrink_act::strikes_node(a) && r < program_.ranks; ++r)
      if (r != a.rank && on_one_node(r, a.rank)) others.push_back(r);
    const std::uint64_t steps = 1 + run_.draw(std::uint64_t{1} << shrink_act::log_of_steps(a));
    if (shrink_act::kills(a)) return run_.kill_within(a.rank, steps, std::move(others));
    for (const int r : others) at(r).is_silent_when_stopped = true;
    at(a.rank).is_silent_when_stopped = true;
    run_.stop_within(a.rank, steps, std::chrono::milliseconds(8 << run_.draw(8)),
                     std::move(others));
  }
  void give_up(int r) {
    if (std::exchange(at(r).given_up, true)) return;
    at(r).is_stirred_by = static_cast<int>(run_.draw(2 * looks));  // or by nothing
    at(r).estranged = run_.now() + (run_.chance(2) ? std::chrono::seconds(1) : lateness(r));
  }
  // One that was given up may go on just as another does something for their node.
  void stir_neighbours_of(int me, int what) {
    for (int r = 0; r < program_.ranks; ++r)
      if (of(r).given_up && of(r).is_stirred_by == what && on_one_node(r, me) &&
          run_.stands_still(r) && run_.chance(2))
        run_.go_on_at(r, run_.now() + nanoseconds(run_.draw(4000)));
  }
  // By orders of magnitude; in one of four deaths one rank knows it long before most others.
  nanoseconds lateness(int of) {
    const auto [early, fresh] = early_.try_emplace(of, run_.chance(4));
    constexpr std::uint64_t latest = 500'000'000;
    if (early->second && !fresh) return nanoseconds(latest / 2 + run_.draw(latest / 2));
    return nanoseconds(run_.draw(latest >> 3 * run_.draw(7)));
  }

  scheduler& run_;
  program program_;
  std::vector<rank> ranks_;
  std::map<std::pair<int, int>, nanoseconds> known_;  // to the first, of the second
  std::map<int, bool> early_;
};

}  // namespace oriel::sim
