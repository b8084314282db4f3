// One rank's part in a simulated session: the acts of the program that are its own, by its window,
// and what it may expect of them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "oriel/team.hpp"
#include "oriel/window.hpp"
#include "tests/sim/fabric/network.hpp"
#include "tests/sim/job/society.hpp"
#include "tests/sim/protocols/session_crew.hpp"
#include "tests/sim/protocols/session_memory.hpp"
#include "tests/sim/protocols/session_operations.hpp"
#include "tests/sim/protocols/session_oracle.hpp"
#include "tests/sim/protocols/session_program.hpp"
#include "tests/sim/protocols/session_rounds.hpp"

namespace oriel::sim {

class session_part {
 public:
  session_part(const program& p, session_oracle& oracle, const team& of, session_memory& memory)
      : program_(p),
        kind_(p),
        oracle_(oracle),
        team_(of),
        memory_(memory),
        window_(memory.window()),
        rounds_(p, of),
        crew_(p, oracle, window_, of.me().value),
        does_(p, oracle, window_, of.me().value),
        me_(of.me().value) {}

  // Ends early where a call fails, as it may where a rank has died. Returns whether none has.
  // Results may come until the window is freed, which is before this ends.
  bool play() {
    const crew_at_rest rests{crew_};
    if (kind_.fences() && !well(window_.fence(), "a fence")) return false;
    if (kind_.synchronizes != session_kind::epochs::lock_all) return perform_all();
    epoch all = window_.lock_all();
    return well(all.opened(), "lock_all") && perform_all() && well(all.end(), "unlock_all");
  }

 private:
  using layout = session_layout;
  using acts = session_act;

  bool perform_all() {
    for (const act& a : program_.acts)
      if (!perform(a)) return crew_.wait() && false;
    return meet();
  }

  bool perform(const act& a) {
    if (a.what == acts::split || a.what == acts::map)
      if (!crew_.wait()) return false;  // these complete nothing of the window's
    switch (a.what) {
      case acts::all_meet:
        return meet(a.n % 2 == me_ % 2);
      case acts::split:
        return rounds_.split(a);
      case acts::map:
        return rounds_.map(a);
      case acts::answer:
        return rounds_.answer(a);
      case acts::relay:
        return !kind_.flushes() || relay_some(a);
      case acts::cut_off:
        if (a.rank == me_)
          network::of_run().cut_off(
              process(me_), scheduler::active()->now() + std::chrono::milliseconds(a.n / 8));
        return true;
      case acts::crew:
        return a.rank != me_ || crew_.begin(a);
      case acts::cut_rail:
        if (a.rank == me_ && society::of_run().rail_fails(a.other))
          network::of_run().cut_rail(a.other, a.n % 2 == 0 ? -1 : process(me_), a.n % 4 >= 2);
        return speak_with_all(a.n);
      case acts::break_connection:
        return (a.rank != me_ || break_connection(a)) && speak_with_all(a.n);
      case acts::speak:
        if (a.rank == me_ && a.n != 0)
          scheduler::active()->kill_within(static_cast<std::uint64_t>(a.n));
        return speak_with_all(a.n);
      default:
        break;
    }
    if (kind_.exposes() && a.other == me_ && !expose(a)) return false;
    if (a.what == acts::notify && a.other == me_ && !kind_.fences() && !await(a)) return false;
    if (kind_.exposes() && is_origin(a, me_)) return perform_in_exposure(a);
    if (a.rank != me_) return true;
    dawdle();
    return kind_.locks_each() ? perform_under_lock(a) : does_.perform(a);
  }

  // The target's half, which ends when it is next asked for anything, or all meet.
  bool expose(const act& a) {
    if (!end_exposure()) return false;
    std::vector<rank> origins;
    for (int r = 0; r < program_.ranks; ++r)
      if (is_origin(a, r)) origins.emplace_back(r);
    return exposed_ = well(window_.post(origins), "post");
  }
  // Nobody else has access to the memory then.
  bool end_exposure() {
    if (!std::exchange(exposed_, false)) return true;
    if (!well(window_.wait(), "wait")) return false;
    oracle_.check(me_, memory_.words());
    return true;
  }
  bool perform_in_exposure(const act& a) {
    dawdle();
    const rank target{a.other};
    epoch own = window_.start({&target, 1});
    if (!well(own.opened(), "start")) return false;
    if (a.rank == me_ && !does_.perform(a)) return false;
    if (!well(own.end(), "complete")) return false;
    does_.settled([&a](int other) { return other == a.other; });
    return a.rank != me_ || a.what != acts::read_back || does_.has_read_right();
  }

  bool perform_under_lock(const act& a) {
    const rank target{a.other};
    const auto lock = [&] {
      if (a.what == acts::guard) return window_.lock_exclusive(target);
      return a.n % 3 == 2 ? window_.lock_all() : window_.lock_shared(target);
    };
    return under(lock(), target, [&] { return does_.perform(a); });
  }
  // Under a lock of the target, or of all, which ends with it.
  template <class Work>
  bool under(epoch own, rank target, Work work) {
    if (!well(own.opened(), "a lock") || !work() || !well(own.end(), "an unlock")) return false;
    does_.settled([target](int other) { return other == target.value; });
    return true;
  }

  // While a rail is given up, by one rank sooner than by another, or one dies.
  bool speak_with_all(int times) {
    if (kind_.exposes()) return true;
    constexpr std::array whats{acts::put, acts::replace, acts::fetch, acts::flush};
    const int others = program_.ranks - 1;
    for (int i = 0; i < 4 * (2 + times % 4) * others; ++i) {
      const act mine{me_, whats[static_cast<std::size_t>(i % 4)],
                     (me_ + 1 + i / 4 % others) % program_.ranks, 1 + i % 7};
      if (!(kind_.locks_each() ? perform_under_lock(mine) : does_.perform(mine))) return false;
    }
    return true;
  }

  // With what must keep its order under way, and more of that behind it.
  bool break_connection(const act& a) {
    const auto send = [&] { return kind_.exposes() || does_.replace_some(a.other, 3, a.n); };
    if (!in_epoch_of(a.other, send)) return false;
    network::of_run().break_connection(a.n, process(me_), process(a.other));
    return in_epoch_of(a.other, send);
  }

  // One puts to a second, and when that is complete tells a third, which finds it there.
  bool relay_some(const act& a) {
    const int third = third_of(a, program_.ranks);
    if (third < 0 || (me_ != a.rank && me_ != third)) return true;
    for (int times = a.n % 4; times >= 0; --times)
      if (!relay(a, third)) return false;
    return true;
  }
  bool relay(const act& a, int third) {
    const std::size_t word = layout::word_of(a.rank);
    if (me_ == a.rank)
      return in_epoch_of(
                 a.other,
                 [&] { return does_.put_some(a.other, word, 1) && does_.settle(a.other); }) &&
             in_epoch_of(third, [&] { return does_.tell(third, 1, oracle_.value(a.other, word)); });
    if (!await(a)) return false;
    return in_epoch_of(a.other, [&] {
      found_.assign(1, 0);
      if (!well(window_.get(rank{a.other}, oracle_.at(a.other, word), found_.front()),
                "a get of a third") ||
          !does_.settle(a.other))
        return false;
      must(found_.front() >=
               oracle_.told_elsewhere(a.rank, me_, awaited_[static_cast<std::size_t>(a.rank)]),
           "what was complete before a third was told is not there");
      return true;
    });
  }
  template <class Work>
  bool in_epoch_of(int target, Work work) {
    return kind_.locks_each() ? under(window_.lock_shared(rank{target}), rank{target}, work)
                              : work();
  }

  bool await(const act& a) {
    const auto from = static_cast<std::size_t>(a.rank);
    if (awaited_.size() <= from) awaited_.resize(from + 1);
    if (!well(window_.wait_notify(from, ++awaited_[from]), "a wait for a notification"))
      return false;
    oracle_.notified(a.rank, me_, awaited_[from], memory_.words(), kind_.orders_notices);
    return true;
  }

  // Memory may move meanwhile.
  bool meet(bool moves = false) {
    if (!crew_.join()) return false;
    const auto synchronize = [this] {
      if (kind_.fences()) return well(window_.fence(), "a fence");
      if (kind_.exposes() && !end_exposure()) return false;
      if (kind_.synchronizes == session_kind::epochs::lock_all &&
          !well(window_.flush_all(), "flush_all"))
        return false;
      return well(team_.barrier(), "a barrier");
    };
    if (!synchronize()) return false;
    does_.settled([](int) { return true; });
    window_.sync().or_throw();
    oracle_.check(me_, memory_.words());
    if (moves && !memory_.move()) return false;
    return kind_.fences() ? synchronize() : well(team_.barrier(), "a barrier");
  }

  bool well(status s, const char* call) { return sim::well(program_, s, call); }
  [[nodiscard]] int process(int r) const { return team_.world_rank(rank{r}).value; }

  const program& program_;
  session_kind kind_;
  session_oracle& oracle_;
  team team_;
  session_memory& memory_;
  session_words& window_;
  session_rounds rounds_;
  session_crew crew_;
  session_operations does_;
  int me_;
  bool exposed_ = false;
  std::vector<std::uint64_t> found_;    // by the last get
  std::vector<std::uint64_t> awaited_;  // by origin
};

}  // namespace oriel::sim
