// The operations of one rank's part in a simulated session, and what it may expect of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "oriel/window.hpp"
#include "tests/sim/protocols/session_oracle.hpp"
#include "tests/sim/protocols/session_program.hpp"

namespace oriel::sim {

// Each returns whether its calls have succeeded. In an epoch of its target.
class session_operations {
 public:
  session_operations(const program& p, session_oracle& oracle, session_words& window, int me)
      : program_(p), kind_(p), oracle_(oracle), window_(window), me_(me) {}

  bool perform(const act& a) {
    const std::size_t counter = static_cast<std::size_t>(a.n) % session_layout::counters;
    switch (a.what) {
      case session_act::put:
        return a.n % 5 == 4 ? swap(a.other) : put_some(a.other, session_layout::word_of(me_), 1);
      case session_act::put_row:
        return put_some(a.other, session_layout::row_of(me_), static_cast<std::size_t>(a.n));
      case session_act::add:
        if (a.n % 4 == 3) return add_list(a.other, a.n);
        return add(a.other, counter, a.n % (kind_.aggregates ? 2 : 8) == 0 ? 20 : 1);
      case session_act::replace:
        return replace_some(a.other, kind_.orders_replaces && a.n % 8 == 0 ? 40 : 1 + a.n % 4, a.n);
      case session_act::fetch:
        return a.n % 4 == 3 ? fetch_list(a.other, counter) : fetch(a.other, counter, a.n % 2 == 0);
      case session_act::read_back:
        return kind_.fences() || read(a.other);
      case session_act::flush:
        return !kind_.flushes() || settle(a.other);
      case session_act::guard:
        return !kind_.locks_each() || add_guarded(a.other);
      default:
        return kind_.fences() || tell(a.other, static_cast<std::size_t>(a.n));
    }
  }

  bool fetch(int target, std::size_t counter, bool later) {
    std::uint64_t& before = begin_fetching(target, counter, 1).front();
    const disp there = oracle_.at(target, counter);
    return well(later ? window_.fetch_add_nbi(rank{target}, there, 1, before)
                      : window_.fetch_op<atomic_op::sum>(rank{target}, there, 1, before),
                "a fetch");
  }
  // Of all counters, one after the other.
  bool fetch_list(int target, std::size_t counter) {
    constexpr std::size_t n = session_layout::counters;
    const std::vector<rank> ranks(n, rank{target});
    std::vector<disp> places;
    for (std::size_t i = 0; i < n; ++i) places.push_back(oracle_.at(target, (counter + i) % n));
    const std::vector<std::uint64_t> ones(n, 1);
    return well(window_.fetch_op(atomic_op::sum, ranks, places, ones,
                                 std::span(begin_fetching(target, counter, n))),
                "a list of fetches");
  }
  std::vector<std::uint64_t>& begin_fetching(int target, std::size_t counter, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      oracle_.adds(target, (counter + i) % session_layout::counters);
    fetched_.push_back({target, counter, std::vector<std::uint64_t>(n, ~std::uint64_t{0})});
    return fetched_.back().before;
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

  // To `target`, and some to others.
  bool add_list(int target, int n) {
    if (!kind_.flushes() || kind_.locks_each()) n = 0;
    std::vector<rank> ranks;
    std::vector<disp> places;
    for (int i = 0; i < 12; ++i) {
      const int owner = i % 3 == 1 && n != 0 ? (target + n) % program_.ranks : target;
      const std::size_t counter = static_cast<std::size_t>(i) % session_layout::counters;
      oracle_.adds(owner, counter);
      ranks.emplace_back(owner);
      places.push_back(oracle_.at(owner, counter));
    }
    const std::vector<std::uint64_t> ones(ranks.size(), 1);
    return well(window_.accumulate(atomic_op::sum, ranks, places, ones), "a list of accumulates");
  }

  // One word or several in turn, which the last of them must have. Some of them long after others,
  // so that what two ranks that speak often agree on is agreed on.
  bool replace_some(int target, int times, int which) {
    const std::size_t at = session_layout::replaced_by(me_);
    for (; times > 0; --times, ++which) {
      if (times == 20 && kind_.flushes() && !settle(target)) return false;
      if (!kind_.orders_replaces)
        if (const place p = make_free(target, at); p != place::free) return p == place::taken;
      constexpr std::array<std::size_t, 3> lengths{1, 3, session_layout::replaced};
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

  // This rank's word, which nobody else changes.
  bool swap(int target) {
    const std::size_t at = session_layout::word_of(me_);
    if (const place p = make_free(target, at); p != place::free) return p == place::taken;
    const std::uint64_t expected = oracle_.value(target, at), value = oracle_.new_value();
    oracle_.puts(target, at, 1, value);
    std::uint64_t before = ~expected;
    if (!well(window_.compare_swap(rank{target}, oracle_.at(target, at), expected, value, before),
              "a compare_swap"))
      return false;
    must(before == expected, "a compare_swap has found what another has put");
    return true;
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
      for (std::size_t i = 0; which(f.target) && i < f.before.size(); ++i)
        oracle_.fetched(f.target, (f.counter + i) % session_layout::counters, f.before[i]);
    std::erase_if(fetched_, [&](const fetching& f) { return which(f.target); });
  }

  bool read(int target) {
    if (kind_.flushes() && !settle(target)) return false;
    found_.assign(session_layout::row, 0);
    read_from_ = target;
    if (!well(window_.get(rank{target}, oracle_.at(target, session_layout::row_of(me_)),
                          std::span(found_)),
              "a get"))
      return false;
    return !kind_.flushes() || (settle(target) && has_read_right());
  }
  // Requires: the get is complete.
  bool has_read_right() {
    must(oracle_.has(read_from_, session_layout::row_of(me_), found_),
         "a get has not got what was put before");
    return true;
  }

  // Requires: nobody else has a lock there.
  bool add_guarded(int target) {
    constexpr std::size_t at = session_layout::guarded;
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

  bool tell(int target, std::size_t n, std::uint64_t elsewhere = 0) {
    if (kind_.orders_notices && n % 2 == 0 && !put_some(target, session_layout::word_of(me_), 1))
      return false;
    const std::size_t at = session_layout::notes_of(me_);
    if (make_free(target, at) == place::failed) return false;
    const std::uint64_t value = oracle_.new_value();
    oracle_.puts(target, at, n, value);
    oracle_.notifies(me_, target, value, n, elsewhere);
    const std::vector<std::uint64_t> source(n, value);
    return well(window_.put_notify(rank{target}, oracle_.at(target, at), std::span(source),
                                   static_cast<std::size_t>(me_)),
                "a notified put");
  }

 private:
  struct fetching {
    int target;
    std::size_t counter;  // the first, of as many as results
    std::vector<std::uint64_t> before;
  };

  bool well(status s, const char* call) { return sim::well(program_, s, call); }

  const program& program_;
  session_kind kind_;
  session_oracle& oracle_;
  session_words& window_;
  int me_;
  std::vector<std::uint64_t> found_;  // by the last get
  int read_from_ = 0;
  std::set<std::pair<int, std::size_t>> dirty_;  // put to since they were complete
  std::deque<std::pair<int, std::vector<std::uint64_t>>> sources_;
  std::list<fetching> fetched_;  // whose results have their places while they are under way
};

}  // namespace oriel::sim
