// A roll call: a query to all ranks at once for those that are reachable. A rank that is cut off
// sees its few links end, and would never find the state of the ranks with which it has none. So
// when a rank is found silent, every rank reports those that are reachable from it: itself, and
// those whose links are up (a process that is stopped is reachable too, and cannot report itself).
// Answers are passed on over the links; a rank that is not named within some time is silent too.
//
// Calls are numbered, and a rank that receives a later one joins it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "session/node/news_log.hpp"

namespace oriel::sessions {

class roll_call {
 public:
  using clock = news_log::clock;

  explicit roll_call(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] bool running() const noexcept { return running_; }
  [[nodiscard]] std::uint32_t turn() const noexcept { return turn_; }
  [[nodiscard]] clock::time_point until() const noexcept { return until_; }
  // No rank has answered yet.
  void begin(std::uint32_t turn, clock::time_point until) {
    present_.assign(ranks_, false);
    answers_.clear();
    turn_ = turn;
    until_ = until;
    running_ = true;
  }
  void end() noexcept { running_ = false; }

  // `from` reports rank `r` as reachable, which is to be passed on by `due`. Requires: a call is
  // open.
  void answer(int r, int from, clock::time_point due) {
    if (present_[static_cast<std::size_t>(r)]) return;
    answers_.add(r, link_news::about::present, from, due);
    present_[static_cast<std::size_t>(r)] = true;
  }
  [[nodiscard]] bool answered(int r) const { return present_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] news_log& answers() noexcept { return answers_; }

 private:
  std::size_t ranks_;
  std::vector<bool> present_;
  news_log answers_;
  std::uint32_t turn_ = 0;
  clock::time_point until_{};
  bool running_ = false;
};

}  // namespace oriel::sessions
