// What the memory of simulated windows must hold when all have synchronized: what each rank has
// put, added and fetched so far.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "oriel/rank.hpp"
#include "tests/sim/protocol.hpp"

namespace oriel::sim {

// A rank's memory: counters that all add to, and one under an exclusive lock; for each origin a
// word, some that it replaces by accumulates, some of each thread of its crew, a row, and a row of
// notified puts.
struct session_layout {
  static constexpr std::size_t counters = 4, guarded = counters, origins = 8, replaced = 8,
                               crew = 16, row = 3000;
  static constexpr std::size_t word_of(int origin) {
    return guarded + 1 + static_cast<std::size_t>(origin);
  }
  static constexpr std::size_t replaced_by(int origin) {
    return guarded + 1 + origins + static_cast<std::size_t>(origin) * replaced;
  }
  // Of the `thread`-th of its crew.
  static constexpr std::size_t crew_of(int origin, int thread) {
    return replaced_by(origins) + static_cast<std::size_t>(2 * origin + thread) * crew;
  }
  static constexpr std::size_t row_of(int origin) {
    return crew_of(origins, 0) + 2 * static_cast<std::size_t>(origin) * row;
  }
  static constexpr std::size_t notes_of(int origin) { return row_of(origin) + row; }
  static constexpr std::size_t words(int ranks) { return row_of(ranks); }
};

class session_oracle {
 public:
  explicit session_oracle(int ranks) {
    for (int r = 0; r < ranks; ++r) memory_.emplace_back(session_layout::words(ranks));
    places_.resize(memory_.size());
  }

  // From now on the memory of `r` begins at that displacement.
  void place(int r, std::uint64_t first) { places_[static_cast<std::size_t>(r)] = first; }
  [[nodiscard]] disp at(int r, std::size_t word) const {
    return disp{places_[static_cast<std::size_t>(r)] + word};
  }

  // A value that has not been put before.
  std::uint64_t new_value() noexcept { return ++last_; }
  // `origin` is about to put it to `n` words of `target`, from `at` on.
  void puts(int target, std::size_t at, std::size_t n, std::uint64_t value) {
    for (std::size_t i = 0; i < n; ++i) memory_[static_cast<std::size_t>(target)][at + i] = value;
  }
  [[nodiscard]] std::uint64_t value(int target, std::size_t at) const {
    return memory_[static_cast<std::size_t>(target)][at];
  }
  // Whether these are the words of `target` from `at` on. By memcmp: to compare one by one takes
  // more time than the whole session.
  [[nodiscard]] bool has(int target, std::size_t at, std::span<const std::uint64_t> words) const {
    return std::memcmp(&memory_[static_cast<std::size_t>(target)][at], words.data(),
                       words.size_bytes()) == 0;
  }
  // Some rank is about to add 1.
  void adds(int target, std::size_t counter) {
    ++memory_[static_cast<std::size_t>(target)][counter];
  }
  // And has had this before it added.
  void fetched(int target, std::size_t counter, std::uint64_t before) {
    must(before < value(target, counter), "a fetch returned more than was added");
    must(fetched_[{target, counter}].insert(before).second, "two fetches returned the same");
  }
  // `origin` is about to notify `target` of what it has put there just now, `n` words; and, where
  // notifications are ordered, of what it has put there before; and of its word elsewhere.
  void notifies(int origin, int target, std::uint64_t value, std::size_t n,
                std::uint64_t elsewhere) {
    notes_[{origin, target}].push_back({value, n, value_of_word(origin, target), elsewhere});
  }
  // And the target, whose memory this is, has seen the `count`-th of these notifications. Others
  // may have followed.
  void notified(int origin, int target, std::uint64_t count, std::span<const std::uint64_t> there,
                bool ordered) const {
    const std::vector<std::uint64_t> memory = seen(there);
    const note& told = notes_.at({origin, target}).at(count - 1);
    for (std::size_t i = 0; i < told.words; ++i)
      must(memory[session_layout::notes_of(origin) + i] >= told.value,
           "a notified put is not there");
    must(!ordered || memory[session_layout::word_of(origin)] >= told.word_before,
         "what was put before a notified put is not there");
  }
  // What the origin's word elsewhere was at its `count`-th notification.
  [[nodiscard]] std::uint64_t told_elsewhere(int origin, int target, std::uint64_t count) const {
    return notes_.at({origin, target}).at(count - 1).elsewhere;
  }
  // All have synchronized, and nobody is in the next epoch.
  void check(int target, std::span<const std::uint64_t> there) const {
    const std::vector<std::uint64_t> memory = seen(there);
    if (has(target, 0, memory)) return;
    for (std::size_t i = 0; i < memory.size(); ++i)
      must(memory[i] == value(target, i),
           "word " + std::to_string(i) + " of rank " + std::to_string(target) + " is " +
               std::to_string(memory[i]) + ", and should be " + std::to_string(value(target, i)));
  }

 private:
  static std::vector<std::uint64_t> seen(std::span<const std::uint64_t> memory) {
    std::vector<std::uint64_t> copy(memory.size());
    scheduler::copy_quietly(copy.data(), memory.data(), memory.size_bytes());
    return copy;
  }
  struct note {
    std::uint64_t value;
    std::size_t words;
    std::uint64_t word_before;
    std::uint64_t elsewhere;
  };
  [[nodiscard]] std::uint64_t value_of_word(int origin, int target) const {
    return value(target, session_layout::word_of(origin));
  }

  std::vector<std::vector<std::uint64_t>> memory_;  // by rank
  std::vector<std::uint64_t> places_;
  std::map<std::pair<int, std::size_t>, std::set<std::uint64_t>> fetched_;
  std::map<std::pair<int, int>, std::vector<note>> notes_;  // by origin and target
  std::uint64_t last_ = 0;
};

}  // namespace oriel::sim
