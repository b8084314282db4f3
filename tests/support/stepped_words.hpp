// Words of a container of which threads make one step after the other, in an order that a test
// chooses (interleavings.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace oriel::testing {

using word = std::uint64_t;

// How far a thread has come.
struct progress {
  std::size_t done = 0;             // calls
  std::vector<word> results;        // of the steps of the call that is under way
  std::vector<word> told;           // answer and value of each call
  std::optional<word> paused;       // the memory's changes when the call paused last
  std::optional<word> waits_since;  // and when nothing had changed since the time before that

  void end_call(word answer, word value) {
    told.push_back(answer);
    told.push_back(value);
    results.clear();
    paused.reset();
    ++done;
  }
};
struct state {
  std::vector<word> memory;
  word changes = 0;
  std::vector<progress> threads;
  std::size_t running = 0;  // the thread that made the last step
  int switches = 0;         // away from threads that could have gone on
  // (a, b): call a of all had ended when call b began.
  std::set<std::pair<std::size_t, std::size_t>> before;
};

struct next_step {};  // thrown

// `Peeks`: a look at a word and the load that decides are two steps, as in kernels.
template <bool Peeks>
class stepped_words {
 public:
  static constexpr bool tries_first = false;
  static constexpr bool peeks = Peeks;
  stepped_words(state& s, progress& p) : state_(&s), progress_(&p) {}

  word load(word i) const {
    return step([&] { return state_->memory[i]; });
  }
  word peek(word i) const { return load(i); }
  void read(word i, unsigned n, word* to) const {
    for (unsigned k = 0; k < n; ++k) to[k] = load(i + k);
  }
  void write(word i, unsigned n, const word* from) {
    for (unsigned k = 0; k < n; ++k) publish(i + k, from[k]);
  }
  void publish(word i, word w) {
    step([&] { return set(i, w); });
  }
  word compare_swap(word i, word expected, word desired) {
    return step([&] {
      const word now = state_->memory[i];
      return now == expected ? set(i, desired) : now;
    });
  }
  word add(word i, word operand) {
    return step([&] { return set(i, state_->memory[i] + operand); });
  }
  void replace(word i, word w) { publish(i, w); }
  void order() const {}
  bool pause(std::uint32_t) const {
    step([&] {
      if (progress_->paused == state_->changes) progress_->waits_since = state_->changes;
      progress_->paused = state_->changes;
      return word{0};
    });
    return true;
  }

 private:
  word set(word i, word w) const {
    ++state_->changes;
    return std::exchange(state_->memory[i], w);
  }
  template <class Make>
  word step(Make make) const {
    if (at_ < progress_->results.size()) return progress_->results[at_++];
    if (made_) throw next_step();
    made_ = true;
    progress_->results.push_back(make());
    return progress_->results[at_++];
  }

  state* state_;
  progress* progress_;
  mutable std::size_t at_ = 0;
  mutable bool made_ = false;
};

}  // namespace oriel::testing
