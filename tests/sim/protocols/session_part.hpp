// One rank's part in a simulated session: the acts of the program that are its own, by its window,
// and what it may expect of them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "oriel/team.hpp"
#include "oriel/window.hpp"
#include "tests/sim/fabric/network.hpp"
#include "tests/sim/job/society.hpp"
#include "tests/sim/protocols/session_crew.hpp"
#include "tests/sim/protocols/session_memory.hpp"
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
  struct fetching {
    int target;
    std::size_t counter;
    std::uint64_t before;
  };

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
    return kind_.locks_each() ? perform_under_lock(a) : perform_in_epoch(a);
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
    if (a.rank == me_ && !perform_in_epoch(a)) return false;
    if (!well(own.end(), "complete")) return false;
    settled([&a](int other) { return other == a.other; });
    return a.rank != me_ || a.what != acts::read_back || has_read_right();
  }

  bool perform_under_lock(const act& a) {
    const rank target{a.other};
    return under(
        a.what == acts::guard ? window_.lock_exclusive(target) : window_.lock_shared(target),
        target, [&] { return perform_in_epoch(a); });
  }
  // Under a lock of the target, which ends with it.
  template <class Work>
  bool under(epoch own, rank target, Work work) {
    if (!well(own.opened(), "a lock") || !work() || !well(own.end(), "an unlock")) return false;
    settled([target](int other) { return other == target.value; });
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
      if (!(kind_.locks_each() ? perform_under_lock(mine) : perform_in_epoch(mine))) return false;
    }
    return true;
  }

  // With what must keep its order under way, and more of that behind it.
  bool break_connection(const act& a) {
    const auto send = [&] { return kind_.exposes() || replace_some(a.other, 3, a.n); };
    if (!in_epoch_of(a.other, send)) return false;
    network::of_run().break_connection(a.n, process(me_), process(a.other));
    return in_epoch_of(a.other, send);
  }

  bool perform_in_epoch(const act& a) {
    const std::size_t counter = static_cast<std::size_t>(a.n) % layout::counters;
    switch (a.what) {
      case acts::put:
        return put_some(a.other, layout::word_of(me_), 1);
      case acts::put_row:
        return put_some(a.other, layout::row_of(me_), static_cast<std::size_t>(a.n));
      case acts::add:
        return add(a.other, counter, a.n % (kind_.aggregates ? 2 : 8) == 0 ? 20 : 1);
      case acts::replace:
        return replace_some(a.other, kind_.orders_replaces && a.n % 8 == 0 ? 40 : 1 + a.n % 4, a.n);
      case acts::fetch:
        oracle_.adds(a.other, counter);
        return fetch(a.other, counter, a.n % 2 == 0);
      case acts::read_back:
        return kind_.fences() || read(a.other);
      case acts::flush:
        return !kind_.flushes() || settle(a.other);
      case acts::guard:
        return !kind_.locks_each() || add_guarded(a.other);
      default:
        return kind_.fences() || tell(a.other, static_cast<std::size_t>(a.n));
    }
  }

  bool fetch(int target, std::size_t counter, bool later) {
    const disp there = oracle_.at(target, counter);
    std::uint64_t& before = fetched_.emplace_back(target, counter, ~std::uint64_t{0}).before;
    return well(later ? window_.fetch_add_nbi(rank{target}, there, 1, before)
                      : window_.fetch_op<atomic_op::sum>(rank{target}, there, 1, before),
                "a fetch");
  }

  // As often as makes two ranks that speak often of these; not all of them at once.
  bool add(int target, std::size_t counter, int times) {
    for (; times > 0; --times) {
      if (times % 8 == 4) dawdle();
      oracle_.adds(target, counter);
      if (!well(window_.add(rank{target}, oracle_.at(target, counter), 1), "an accumulate"))
        return false;
    }
    return true;
  }

  // One word or several in turn, which the last of them must have. Some of them long after others,
  // so that what two ranks that speak often agree on is agreed on.
  bool replace_some(int target, int times, int which) {
    const std::size_t at = layout::replaced_by(me_);
    for (; times > 0; --times, ++which) {
      if (times == 20 && kind_.flushes() && !settle(target)) return false;
      if (!kind_.orders_replaces)
        if (const place p = make_free(target, at); p != place::free) return p == place::taken;
      constexpr std::array<std::size_t, 3> lengths{1, 3, layout::replaced};
      const std::size_t n = lengths[static_cast<std::size_t>(which % 3)];
      const std::uint64_t value = oracle_.new_value();
      oracle_.puts(target, at, n, value);
      const auto& source =
          sources_.emplace_back(target, std::vector<std::uint64_t>(n, value)).second;
      const disp there = oracle_.at(target, at);
      const status s =
          n == 1 ? window_.accumulate<atomic_op::replace>(rank{target}, there, value)
                 : window_.accumulate(atomic_op::replace, rank{target}, there, std::span(source));
      if (!well(s, "a replacing accumulate")) return false;
    }
    return true;
  }

  // Puts to one place must not overlap: where one may be under way, it is completed first, or
  // nothing is put where the epoch has no flushes.
  enum class place : std::uint8_t { free, taken, failed };
  place make_free(int target, std::size_t at) {
    if (dirty_.contains({target, at})) {
      if (!kind_.flushes()) return place::taken;
      if (!settle(target)) return place::failed;
    }
    dirty_.insert({target, at});
    return place::free;
  }
  bool put_some(int target, std::size_t at, std::size_t n) {
    if (const place p = make_free(target, at); p != place::free) return p == place::taken;
    const std::uint64_t value = oracle_.new_value();
    oracle_.puts(target, at, n, value);
    const disp there = oracle_.at(target, at);
    if (n == 1) return well(window_.put(rank{target}, there, value), "a put");
    const auto& source = sources_.emplace_back(target, std::vector<std::uint64_t>(n, value)).second;
    return well(window_.put(rank{target}, there, std::span(source)), "a put of many");
  }

  // What this rank has begun there is complete, and its sources may go.
  bool settle(int target) {
    if (!well(window_.flush(rank{target}), "a flush")) return false;
    settled([target](int other) { return other == target; });
    return true;
  }
  template <class Which>
  void settled(Which which) {
    std::erase_if(dirty_, [&](const auto& place) { return which(place.first); });
    for (auto& [target, source] : sources_)
      if (which(target)) std::fill(source.begin(), source.end(), ~std::uint64_t{0});
    std::erase_if(sources_, [&](const auto& s) { return which(s.first); });
    for (const fetching& f : fetched_)
      if (which(f.target)) oracle_.fetched(f.target, f.counter, f.before);
    std::erase_if(fetched_, [&](const fetching& f) { return which(f.target); });
  }

  bool read(int target) {
    if (kind_.flushes() && !settle(target)) return false;
    found_.assign(layout::row, 0);
    read_from_ = target;
    if (!well(window_.get(rank{target}, oracle_.at(target, layout::row_of(me_)), std::span(found_)),
              "a get"))
      return false;
    return !kind_.flushes() || (settle(target) && has_read_right());
  }
  // Requires: the get is complete.
  bool has_read_right() {
    must(oracle_.has(read_from_, layout::row_of(me_), found_),
         "a get has not got what was put before");
    return true;
  }

  // Requires: nobody else has a lock there.
  bool add_guarded(int target) {
    constexpr std::size_t at = layout::guarded;
    std::uint64_t before = ~std::uint64_t{0};
    if (!well(window_.get(rank{target}, oracle_.at(target, at), before), "a get under a lock") ||
        !settle(target))
      return false;
    must(before == oracle_.value(target, at),
         "what is under an exclusive lock has changed, or has not");
    oracle_.adds(target, at);
    return well(window_.put(rank{target}, oracle_.at(target, at), before + 1),
                "a put under a lock");
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
      return in_epoch_of(a.other, [&] { return put_some(a.other, word, 1) && settle(a.other); }) &&
             in_epoch_of(third, [&] { return tell(third, 1, oracle_.value(a.other, word)); });
    if (!await(a)) return false;
    return in_epoch_of(a.other, [&] {
      found_.assign(1, 0);
      if (!well(window_.get(rank{a.other}, oracle_.at(a.other, word), found_.front()),
                "a get of a third") ||
          !settle(a.other))
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

  bool tell(int target, std::size_t n, std::uint64_t elsewhere = 0) {
    if (kind_.orders_notices && n % 2 == 0 && !put_some(target, layout::word_of(me_), 1))
      return false;
    const std::size_t at = layout::notes_of(me_);
    if (make_free(target, at) == place::failed) return false;
    const std::uint64_t value = oracle_.new_value();
    oracle_.puts(target, at, n, value);
    oracle_.notifies(me_, target, value, n, elsewhere);
    const std::vector<std::uint64_t> source(n, value);
    return well(window_.put_notify(rank{target}, oracle_.at(target, at), std::span(source),
                                   static_cast<std::size_t>(me_)),
                "a notified put");
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
    settled([](int) { return true; });
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
  int me_;
  bool exposed_ = false;
  std::vector<std::uint64_t> found_;  // by the last get
  int read_from_ = 0;
  std::set<std::pair<int, std::size_t>> dirty_;  // put to since they were complete
  std::deque<std::pair<int, std::vector<std::uint64_t>>> sources_;
  std::list<fetching> fetched_;         // whose results have their places while they are under way
  std::vector<std::uint64_t> awaited_;  // by origin
};

}  // namespace oriel::sim
