// One rank's part in a simulated session: the acts of the program that are its own, by its window,
// and what it may expect of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "oriel/session.hpp"
#include "oriel/window.hpp"
#include "tests/sim/fabric/network.hpp"
#include "tests/sim/protocols/session_oracle.hpp"

namespace oriel::sim {

// What happens in a session.
struct session_act {
  enum : int {
    put,
    put_row,
    add,
    fetch,
    read_back,
    flush,
    notify,
    guard,  // adds by a get and a put, under an exclusive lock
    cut_off,
    all_meet,
    kinds
  };
};

using session_words = window<std::uint64_t>;
// Epochs are fences', or each act's that has a lock of its target, or one of lock_all.
inline bool fences(const program& p) {
  return p.variant % 3 == 0;
}
inline bool locks_each(const program& p) {
  return p.variant % 3 == 1;
}

inline bool orders_notices(const program& p) {
  return p.variant % 2 == 0;
}

// One rank's part in a program, in its window.
class session_part {
 public:
  session_part(const program& p, session_oracle& oracle, session& job, session_words& w, int me)
      : program_(p), oracle_(oracle), job_(job), window_(w), me_(me) {}

  // Ends early where a call fails, as it may where a rank has died.
  void play() {
    if (fences(program_)) {
      static_cast<void>(well(window_.fence(), "a fence") && perform_all());
      return;
    }
    if (locks_each(program_)) {
      static_cast<void>(perform_all());
      return;
    }
    epoch all = window_.lock_all();
    if (well(all.opened(), "lock_all") && perform_all())
      static_cast<void>(well(all.end(), "unlock_all"));
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
      if (!perform(a)) return false;
    return meet();
  }

  bool perform(const act& a) {
    if (a.what == acts::all_meet) return meet();
    if (a.what == acts::notify && a.other == me_ && !fences(program_) && !await(a)) return false;
    if (a.rank != me_) return true;
    dawdle();
    if (a.what == acts::cut_off) {
      const auto time = std::chrono::milliseconds(a.n / 8);
      network::of_run().cut_off(me_, scheduler::active()->now() + time);
      return true;
    }
    return locks_each(program_) ? perform_under_lock(a) : perform_in_epoch(a);
  }

  bool perform_under_lock(const act& a) {
    const rank target{a.other};
    epoch own =
        a.what == acts::guard ? window_.lock_exclusive(target) : window_.lock_shared(target);
    if (!well(own.opened(), "a lock") || !perform_in_epoch(a) || !well(own.end(), "an unlock"))
      return false;
    settled([&a](int other) { return other == a.other; });
    return true;
  }

  bool perform_in_epoch(const act& a) {
    const std::size_t counter = static_cast<std::size_t>(a.n) % layout::counters;
    switch (a.what) {
      case acts::put:
        return put_some(a.other, layout::word_of(me_), 1);
      case acts::put_row:
        return put_some(a.other, layout::row_of(me_), static_cast<std::size_t>(a.n));
      case acts::add:
        oracle_.adds(a.other, counter);
        return well(window_.add(rank{a.other}, disp{counter}, 1), "an accumulate");
      case acts::fetch:
        oracle_.adds(a.other, counter);
        fetched_.push_back({a.other, counter, ~std::uint64_t{0}});
        return well(window_.fetch_op<atomic_op::sum>(rank{a.other}, disp{counter}, 1,
                                                     fetched_.back().before),
                    "a fetch");
      case acts::read_back:
        return fences(program_) || read(a.other);
      case acts::flush:
        return fences(program_) || settle(a.other);
      case acts::guard:
        return !locks_each(program_) || add_guarded(a.other);
      default:
        return fences(program_) || tell(a.other, static_cast<std::size_t>(a.n));
    }
  }

  // Puts to one place must not overlap: where one may be under way, it is completed first.
  bool put_some(int target, std::size_t at, std::size_t n) {
    if (dirty_.contains({target, at})) {
      if (fences(program_)) return true;
      if (!settle(target)) return false;
    }
    dirty_.insert({target, at});
    const std::uint64_t value = oracle_.new_value();
    oracle_.puts(target, at, n, value);
    if (n == 1) return well(window_.put(rank{target}, disp{at}, value), "a put");
    const auto& source = sources_.emplace_back(target, std::vector<std::uint64_t>(n, value)).second;
    return well(window_.put(rank{target}, disp{at}, std::span(source)), "a put of many");
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
    if (!settle(target)) return false;
    std::vector<std::uint64_t> found(layout::row);
    if (!well(window_.get(rank{target}, disp{layout::row_of(me_)}, std::span(found)), "a get") ||
        !settle(target))
      return false;
    for (std::size_t i = 0; i < found.size(); ++i)
      must(found[i] == oracle_.value(target, layout::row_of(me_) + i),
           "a get after a flush has not got what was put");
    return true;
  }

  // Requires: nobody else has a lock there.
  bool add_guarded(int target) {
    constexpr std::size_t at = layout::guarded;
    std::uint64_t before = ~std::uint64_t{0};
    if (!well(window_.get(rank{target}, disp{at}, before), "a get under a lock") || !settle(target))
      return false;
    must(before == oracle_.value(target, at),
         "what is under an exclusive lock has changed, or has not");
    oracle_.adds(target, at);
    return well(window_.put(rank{target}, disp{at}, before + 1), "a put under a lock");
  }

  bool tell(int target, std::size_t n) {
    if (orders_notices(program_) && n % 2 == 0 && !put_some(target, layout::word_of(me_), 1))
      return false;
    const std::size_t at = layout::notes_of(me_);
    if (dirty_.contains({target, at}) && !settle(target)) return false;
    dirty_.insert({target, at});
    const std::uint64_t value = oracle_.new_value();
    oracle_.puts(target, at, n, value);
    oracle_.notifies(me_, target, value, n);
    const std::vector<std::uint64_t> source(n, value);
    return well(window_.put_notify(rank{target}, disp{at}, std::span(source),
                                   static_cast<std::size_t>(me_)),
                "a notified put");
  }
  bool await(const act& a) {
    const auto from = static_cast<std::size_t>(a.rank);
    if (awaited_.size() <= from) awaited_.resize(from + 1);
    if (!well(window_.wait_notify(from, ++awaited_[from]), "a wait for a notification"))
      return false;
    oracle_.notified(a.rank, me_, awaited_[from], window_.local(), orders_notices(program_));
    return true;
  }

  bool meet() {
    const auto synchronize = [this] {
      if (fences(program_)) return well(window_.fence(), "a fence");
      if (locks_each(program_)) return well(job_.world().barrier(), "a barrier");
      return well(window_.flush_all(), "flush_all") && well(job_.world().barrier(), "a barrier");
    };
    if (!synchronize()) return false;
    settled([](int) { return true; });
    window_.sync().or_throw();
    oracle_.check(me_, window_.local());
    return fences(program_) ? synchronize() : well(job_.world().barrier(), "a barrier");
  }

  // Whether a call has succeeded. peer_failed is right where a rank has died; and rma_sync, where
  // one that has seen this has freed its part of the window.
  bool well(status s, const char* call) {
    if (s.code() == errc::rma_sync && any_dead(program_.ranks)) return false;
    return succeeded(s.code(), program_.ranks, call);
  }

  const program& program_;
  session_oracle& oracle_;
  session& job_;
  session_words& window_;
  int me_;
  std::set<std::pair<int, std::size_t>> dirty_;  // put to since they were complete
  std::deque<std::pair<int, std::vector<std::uint64_t>>> sources_;
  std::deque<fetching> fetched_;
  std::vector<std::uint64_t> awaited_;  // by origin
};

}  // namespace oriel::sim
