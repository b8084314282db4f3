// One rank of a job of the random-fault suite: random_rank SEED RANKS HOSTS network|pretended
// late|prompt. Its findings go to the board (ORIEL_TEST_BOARD), not to its output.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "tests/faults/random/works.hpp"

namespace oriel::testing {
namespace {

// Who notices late goes on with windows that others free already: those accesses may be refused,
// but nobody who lives may be taken for dead.
void linger(participant& self, held_windows& windows, graveyard& graves) {
  dice d = self.of(self.my_place(), 3);
  if (d.one_in(2)) return;
  std::vector<held_window*> able;
  for (std::size_t i = 0; i < windows.count(); ++i)
    if (windows[i].w.valid() && windows[i].w.assertions().has(assertion::shared_lock))
      able.push_back(&windows[i]);
  if (able.empty()) return;
  std::deque<std::vector<element>> buffers;
  const auto times = d.below(d.one_in(2) ? 30 : 400);
  for (std::uint64_t i = 0; i < times; ++i) {
    held_window& h = *able[d.below(able.size())];
    const int target = d.pick(self.size());
    if (self.dying(target)) continue;
    const std::size_t mine =
        layout::late + layout::most_late * static_cast<std::size_t>(self.my_place());
    const std::size_t n =
        h.w.assertions().has(assertion::multi_element) ? 1 + d.below(layout::most_late) : 1;
    buffers.emplace_back(n, i), buffers.emplace_back(n, 0);
    const auto& from = buffers[buffers.size() - 2];
    auto& back = buffers.back();
    static constexpr const char* names[] = {"late put", "late get", "late accumulate",
                                            "late compare_swap"};
    const auto kind = d.below(4);
    self.step(names[kind], target, h.number);
    h.w.clear_failure();
    status e;
    element before = 0;
    const rank r{target};
    switch (kind) {
      case 0:
        e = n == 1 ? h.w.put(r, h.at(target, mine), from[0])
                   : h.w.put(r, h.at(target, mine), std::span<const element>(from));
        break;
      case 1:
        e = n == 1 ? h.w.get(r, h.at(target, mine), back[0])
                   : h.w.get(r, h.at(target, mine), std::span<element>(back));
        break;
      case 2:
        e = h.w.add(r, h.at(target, layout::counters + 7), 1);
        break;
      default:
        e = h.w.compare_swap(r, h.at(target, layout::counters + 6), 0, 1, before);
    }
    if (const status flushed = h.w.flush(r); e.ok()) e = flushed;
    if (e.ok() || self.dying(target)) continue;
    const bool refused = e == errc::rma_range || e == errc::rma_sync || e == errc::rma_attach;
    if (e == errc::peer_failed && self.may_be_lost(target, h.number)) continue;
    const bool may_refuse = self.may_refuse(target, h.number);
    if (!(refused && may_refuse))
      self.blame(std::string(names[kind]) + " to rank " + std::to_string(target) +
                 ", which lives and " + (may_refuse ? "frees" : "does not free") + " window " +
                 std::to_string(h.number) + ", came to " + std::string(name(e.code())) + ": " +
                 h.w.failure());
  }
  for (held_window* h : able) h->w.clear_failure();
  graves.bury(std::move(buffers));
}

std::string listed(const std::vector<int>& ranks) {
  std::string text;
  for (const int r : ranks) text += (text.empty() ? "" : ",") + std::to_string(r);
  return "{" + text + "}";
}

class player {
 public:
  player(session& s, participant& self) : job_(s), self_(self), graves_(s) {}

  void play() {
    team members = job_.world();
    const std::vector<int> left = self_.plan().survivors();
    for (int round = 0;; ++round) {
      if (round == rank_record::most_rounds)
        self_.judge(finding::split, "after " + std::to_string(round) + " rounds the team is " +
                                        listed(ranks_of(members)) + ", not " + listed(left));
      self_.begin_round(round, members);
      for (const int r : left)
        if (const auto ranks = ranks_of(members); std::count(ranks.begin(), ranks.end(), r) == 0)
          self_.judge(finding::split, "the team of round " + std::to_string(round) + " is " +
                                          listed(ranks) + ": rank " + std::to_string(r) +
                                          " lives and is not in it");
      const bool last = ranks_of(members) == left;
      if (work_together(last)) break;
      members = shrunk(members);
    }
    if (const std::string what = graves_.disturbed(); !what.empty())
      self_.judge(finding::wrong, what + " was written later");
  }

 private:
  [[nodiscard]] static std::vector<int> ranks_of(const team& t) {
    std::vector<int> ranks;
    for (int r = 0; r < t.size(); ++r) ranks.push_back(t.world_rank(rank{r}).value);
    return ranks;
  }

  // True when this was the last round, and everything succeeded.
  bool work_together(bool last) {
    held_windows windows(job_, self_, graves_);
    bool whole = true;
    try {
      windows.build();
      do_works(windows, last);
    } catch (const team_has_lost_a_rank&) {
      whole = false;
    } catch (const error& e) {
      whole = false;
      try {
        self_.met(e);
      } catch (const team_has_lost_a_rank&) {
      }
    }
    if (last && !whole) self_.blame("the round among survivors ended early");
    if (!whole && self_.plan().late_accesses) linger(self_, windows, graves_);
    windows.free();
    if (last) {
      try {
        agree_at_the_end();
      } catch (const team_has_lost_a_rank&) {  // which is an error by now
      }
    }
    if (!last) self_.end_round();
    return last;
  }

  void do_works(held_windows& windows, bool last) {
    const auto all = every_work();
    std::vector<work> order(all.begin(), all.end());
    dice d = self_.common(4);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[d.below(i)]);
    if (!last) order.resize(works_before_death);
    int number = 0;
    for (const work w : order) {
      workplace place(job_, self_, windows, number);
      self_.begin_work(number);
      try {
        w(place);
      } catch (...) {
        self_.end_work();
        graves_.bury(place.take_buffers());
        throw;
      }
      self_.end_work();
      ++number;
    }
  }

  team shrunk(const team& whole) {
    dice d = self_.of(self_.my_place(), 5);
    if (d.one_in(4)) std::this_thread::sleep_for(std::chrono::milliseconds(d.below(60)));
    self_.step("shrink");
    self_.begin_shrinking();
    try {
      return whole.shrink();
    } catch (const error& e) {
      self_.judge(finding::split, std::string("shrink threw ") + e.what());
    }
  }

  // Everyone has the same team, and leaves when all have seen so.
  void agree_at_the_end() {
    self_.step("allgather of members");
    const team& t = self_.members();
    std::uint64_t sum = 0;
    for (const int r : ranks_of(t)) sum = sum * 31 + static_cast<std::uint64_t>(r) + 1;
    for (const std::uint64_t other : t.allgather(sum))
      if (other != sum) self_.judge(finding::split, "the members of the last team differ");
    self_.step("barrier at the end");
    self_.met(t.barrier(), "barrier", participant::any);
  }

  session& job_;
  participant& self_;
  graveyard graves_;
};

int run(char** argv) {
  const job_shape shape{std::atoi(argv[2]), std::atoi(argv[3]), std::string(argv[4]) == "network"};
  fault_plan plan = make_plan(std::strtoull(argv[1], nullptr, 10), shape);
  plan.late_accesses = std::string(argv[5]) == "late";
  const char* const path = std::getenv(board_variable);
  const char* const me = std::getenv("ORIEL_RANK");
  if (path == nullptr || me == nullptr) {
    std::fprintf(stderr, "random_rank: started by the driver of the suite, with %s\n",
                 board_variable);
    return 2;
  }
  mapped_board all(path);
  participant self(plan, all, std::atoi(me));
  if (!shape.network)  // hosts that hold different numbers of ranks
    setenv("ORIEL_NODE_ID", ("host" + std::to_string(shape.host_of(self.me()))).c_str(), 1);
  try {
    self.step("open the session");
    session s;
    player(s, self).play();
    self.step("close the session");
  } catch (const std::exception& e) {
    self.judge(finding::wrong, std::string("stopped by ") + e.what());
  }
  self.record().conclude(finding::done, "");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int argc, char** argv) {
  alarm(300);  // the driver's watchdog is meant to come first
  if (argc != 6) return 2;
  return oriel::testing::run(argv);
}
