// Calls on a container, in every order that the words' operations of several threads can come in
// (where that takes too long, in those with few switches between threads): each outcome is that of
// the calls one after the other, in an order that agrees with which ended before which began
// (linearizability).
//
// A call is run again from its start for each of its steps: those that it has made before give what
// they gave then, one is made anew, and the next one throws.
#pragma once

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/support/stepped_words.hpp"

namespace oriel::testing {

inline constexpr int any_number = 1'000'000;

// `Subject`: `call`; `model`, which holds what the container does; and static functions:
// advance(state, progress, call) makes one step of a call, and returns whether that ended it;
// perform(model, call) returns what the call is to give; holds(state, model), whether memory is as
// it should be after it.
template <class Subject>
class interleavings {
 public:
  using call = typename Subject::call;
  using model = typename Subject::model;
  using program = std::vector<std::vector<call>>;

  // From `first` on, where the container is as `known`.
  interleavings(state first, const model& known, program threads, int most_switches = any_number)
      : program_(std::move(threads)), most_switches_(most_switches), known_(known) {
    first.threads.assign(program_.size(), {});
    first.changes = 0;
    explore(first);
  }
  [[nodiscard]] std::size_t states() const { return seen_.size(); }
  [[nodiscard]] const std::string& wrong() const { return wrong_; }

 private:
  [[nodiscard]] std::size_t number(std::size_t thread, std::size_t of_thread) const {
    for (std::size_t t = 0; t < thread; ++t) of_thread += program_[t].size();
    return of_thread;
  }

  void explore(const state& s) {
    if (!wrong_.empty() || !seen_.insert(name_of(s)).second) return;
    bool stuck = true, ended = true;
    for (std::size_t t = 0; t < program_.size(); ++t) {
      const progress& p = s.threads[t];
      if (p.done == program_[t].size()) continue;
      ended = false;
      if (p.waits_since && *p.waits_since == s.changes) continue;
      stuck = false;
      state next = s;
      next.running = t;
      if (t != s.running && could_go_on(s) && ++next.switches > most_switches_) continue;
      if (p.results.empty())
        for (std::size_t u = 0; u < program_.size(); ++u)
          for (std::size_t i = 0; i < s.threads[u].done; ++i)
            next.before.insert({number(u, i), number(t, p.done)});
      next.threads[t].waits_since.reset();
      Subject::advance(next, next.threads[t], program_[t][p.done]);
      explore(next);
    }
    if (ended)
      check(s);
    else if (stuck)
      wrong_ = "all wait for each other";
  }
  [[nodiscard]] bool could_go_on(const state& s) const {
    const progress& p = s.threads[s.running];
    const bool began = p.done != 0 || !p.results.empty();
    return began && p.done != program_[s.running].size() && p.waits_since != s.changes;
  }
  [[nodiscard]] std::string name_of(const state& s) const {
    std::string name;
    if (most_switches_ != any_number) name = std::to_string(s.running * 64 + s.switches) + ' ';
    const auto add = [&name](word w) { name.append(reinterpret_cast<const char*>(&w), sizeof w); };
    for (const word w : s.memory) add(w);
    for (const progress& p : s.threads) {
      add(p.done);
      add((p.paused == s.changes ? 1 : 0) + (p.waits_since == s.changes ? 2 : 0));
      add(p.results.size());
      for (const word w : p.results) add(w);
      for (const word w : p.told) add(w);
    }
    for (const auto& [a, b] : s.before) name += static_cast<char>(a * 8 + b);
    return name;
  }

  void check(const state& s) {
    std::vector<std::pair<call, std::pair<word, word>>> all;
    for (std::size_t t = 0; t < program_.size(); ++t)
      for (std::size_t i = 0; i < program_[t].size(); ++i)
        all.push_back({program_[t][i], {s.threads[t].told[2 * i], s.threads[t].told[2 * i + 1]}});
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
      model m = known_;
      bool right = true;
      for (std::size_t i = 0; i < order.size() && right; ++i) {
        for (std::size_t j = 0; j < i; ++j)
          right = right && !s.before.contains({order[i], order[j]});
        right = right && Subject::perform(m, all[order[i]].first) == all[order[i]].second;
      }
      if (right && Subject::holds(s, m)) return;
    } while (std::next_permutation(order.begin(), order.end()));
    wrong_ = "an outcome that no order explains:";
    for (const auto& [c, told] : all)
      wrong_ += ' ' + std::to_string(told.first) + ',' + std::to_string(told.second);
    for (const word w : s.memory) wrong_ += ' ' + std::to_string(w);
  }

  program program_;
  int most_switches_;
  model known_;
  std::unordered_set<std::string> seen_;
  std::string wrong_;
};

}  // namespace oriel::testing
