// More threads of one rank in a simulated session: two, which access another rank's memory in the
// epoch of the rank's own thread while that one goes on.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "oriel/window.hpp"
#include "sync/system.hpp"
#include "tests/sim/protocols/session_oracle.hpp"
#include "tests/sim/protocols/session_program.hpp"

namespace oriel::sim {

class session_crew {
 public:
  session_crew(const program& p, session_oracle& oracle, session_words& window, int me)
      : program_(p), kind_(p), oracle_(oracle), window_(window), me_(me) {}
  // A part may end early.
  ~session_crew() { static_cast<void>(wait()); }
  session_crew(const session_crew&) = delete;
  session_crew& operator=(const session_crew&) = delete;

  // These return false where a call has failed, as it may where a rank has died.
  bool begin(const act& a) {
    if (!wait()) return false;
    for (std::size_t t = 0; t < threads_.size(); ++t)
      threads_[t] = sync::thread([this, a, t] {
        if (!works(a, static_cast<int>(t))) well_ = false;
      });
    return true;
  }
  // All of them have ended.
  bool wait() {
    for (sync::thread& t : threads_)
      if (t.joinable()) t.join();
    return well_;
  }
  // The same, and what they have begun is to be complete before others begin.
  bool join() {
    const bool all_well = wait();  // they look there until they end
    put_to_.clear();
    return all_well;
  }

 private:
  using layout = session_layout;

  bool well(status s, const char* call) { return sim::well(program_, s, call); }

  bool works(const act& a, int thread) {
    const rank target{a.other};
    const std::size_t counter = static_cast<std::size_t>(a.n + thread) % layout::counters;
    for (int turn = 0; turn < a.n; ++turn) {
      dawdle();
      oracle_.adds(a.other, counter);
      const disp there = oracle_.at(a.other, counter);
      if (!well(window_.add(target, there, 1), "an accumulate of a crew")) return false;
      if (!(kind_.flushes() ? puts_and_gets(target, thread, turn) : puts_once(target, thread)))
        return false;
    }
    return true;
  }

  // Words that nobody else puts; the source changes once they are there.
  bool puts_and_gets(rank target, int thread, int turn) {
    auto& words = words_[static_cast<std::size_t>(thread)];
    const std::size_t n = turn % 2 == 0 ? 1 : words.size();
    const disp there = oracle_.at(target.value, layout::crew_of(me_, thread));
    const std::uint64_t value = puts(target, thread, n);
    words.fill(value);
    if (!well(window_.put(target, there, std::span(words).first(n)), "a put of a crew") ||
        !flushes(target))
      return false;
    words.fill(0);
    if (!well(window_.get(target, there, std::span(words).first(n)), "a get of a crew") ||
        !flushes(target))
      return false;
    must(std::count(words.begin(), words.end(), value) == static_cast<std::ptrdiff_t>(n),
         "a thread has not got what it put before");
    return fetches(target, thread, turn);
  }
  bool flushes(rank target) { return well(window_.flush(target), "a flush of a crew"); }
  bool fetches(rank target, int thread, int turn) {
    const std::size_t counter = static_cast<std::size_t>(turn) % layout::counters;
    oracle_.adds(target.value, counter);
    std::uint64_t& before = words_[static_cast<std::size_t>(thread)].front();
    before = ~std::uint64_t{0};
    const disp there = oracle_.at(target.value, counter);
    if (!well(window_.fetch_op<atomic_op::sum>(target, there, 1, before), "a fetch of a crew") ||
        !flushes(target))
      return false;
    oracle_.fetched(target.value, counter, before);
    return true;
  }

  // Where nothing completes it until all synchronize.
  bool puts_once(rank target, int thread) {
    if (!put_to_.emplace(target.value, thread).second) return true;
    const std::uint64_t value = puts(target, thread, 1);
    const disp there = oracle_.at(target.value, layout::crew_of(me_, thread));
    return well(window_.put(target, there, value), "a put of a crew");
  }
  std::uint64_t puts(rank target, int thread, std::size_t n) {
    const std::uint64_t value = oracle_.new_value();
    oracle_.puts(target.value, layout::crew_of(me_, thread), n, value);
    return value;
  }

  const program& program_;
  session_kind kind_;
  session_oracle& oracle_;
  session_words& window_;
  int me_;
  static constexpr std::size_t threads = 2;
  std::array<sync::thread, threads> threads_;
  std::array<std::array<std::uint64_t, layout::crew>, threads> words_{};  // of each
  bool well_ = true;
  std::set<std::pair<int, int>> put_to_;  // and by which thread, since all have synchronized
};

// No thread of the crew goes on when this ends.
struct crew_at_rest {
  session_crew& crew;
  ~crew_at_rest() { static_cast<void>(crew.wait()); }
};

}  // namespace oriel::sim
