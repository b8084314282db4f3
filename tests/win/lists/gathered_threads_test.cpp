// Threads of a rank that gather at once, each on elements of its own at every rank: what they get
// is what each of them has done before, however their operations share packets, and wait for each
// other, for results and for room.
#include <atomic>
#include <random>
#include <string>
#include <thread>

#include "tests/support/seed.hpp"
#include "tests/win/lists/gathering.hpp"

namespace oriel::testing {
namespace {

constexpr int threads = 4;
constexpr std::size_t slots = 4;  // elements of a thread, at each rank
using counters = window<std::uint64_t, ordered | may_attach>;

// One thread's part, with what its elements are to hold.
class part {
 public:
  part(counters& w, int thread, std::uint64_t seed)
      : w_(w), first_(slots * static_cast<unsigned>(threads * me() + thread)), random_(seed) {}

  void play(int steps) {
    for (int i = 0; i < steps; ++i) step();
    flush_all();
  }
  // The first difference; empty where there is none.
  std::string failed;

 private:
  struct element {
    rank owner;
    std::size_t slot;
  };
  struct awaited {
    std::uint64_t got = 0, expected = 0;
  };

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  element any() {
    return {rank{static_cast<int>(below(static_cast<unsigned>(world().size())))}, below(slots)};
  }
  disp at(const element& x) const { return disp{first_ + x.slot}; }
  std::uint64_t& held(const element& x) {
    return model_[static_cast<std::size_t>(x.owner.value) * slots + x.slot];
  }
  void note(const status& e) {
    if (!e.ok() && failed.empty()) failed = w_.first_failure();
  }
  void compare(std::uint64_t got, std::uint64_t expected, const char* what) {
    if (got == expected || !failed.empty()) return;
    failed = std::string(what) + " got " + std::to_string(got) + " instead of " +
             std::to_string(expected);
  }
  void compare_awaited() {
    for (const awaited& a : awaited_) compare(a.got, a.expected, "a deferred operation");
    awaited_.clear();
  }
  void flush_all() {
    note(w_.flush_all());
    compare_awaited();
  }

  void step() {
    const element x = any();
    const std::uint64_t by = below(1000);
    std::uint64_t got = 0;
    switch (below(20)) {
      case 0:
        note(w_.fetch_op(atomic_op::sum, x.owner, at(x), by, got));
        compare(got, std::exchange(held(x), held(x) + by), "fetch_op");
        break;
      case 1:
        note(w_.compare_swap(x.owner, at(x), held(x), by, got));
        compare(got, std::exchange(held(x), by), "compare_swap");
        break;
      case 2:
        add_list();
        break;
      case 3:
        fetch_list();
        break;
      case 4:
        if (below(5) == 0)
          flush_all();
        else
          note(w_.flush(x.owner));
        break;
      case 5:
      case 6: {
        awaited& a = awaited_.emplace_back();
        a.expected = std::exchange(held(x), held(x) + by);
        note(w_.fetch_op_nbi(atomic_op::sum, x.owner, at(x), by, a.got));
        break;
      }
      default:
        note(w_.add(x.owner, at(x), by));
        held(x) += by;
    }
  }
  void add_list() {
    std::vector<rank> ranks;
    std::vector<disp> disps;
    std::vector<std::uint64_t> operands;
    for (std::uint64_t n = below(100); n != 0; --n) {
      const element x = any();
      ranks.push_back(x.owner);
      disps.push_back(at(x));
      held(x) += operands.emplace_back(n);
    }
    note(w_.accumulate(atomic_op::sum, ranks, disps, operands));
  }
  void fetch_list() {
    std::vector<rank> ranks;
    std::vector<disp> disps;
    std::vector<std::uint64_t> operands, expected;
    for (std::uint64_t n = below(100); n != 0; --n) {
      const element x = any();
      ranks.push_back(x.owner);
      disps.push_back(at(x));
      expected.push_back(held(x));
      held(x) += operands.emplace_back(n);
    }
    std::vector<std::uint64_t> got(ranks.size());
    note(w_.fetch_op(atomic_op::sum, ranks, disps, operands, got));
    flush_all();
    for (std::size_t i = 0; i < got.size(); ++i) compare(got[i], expected[i], "fetch_op of a list");
  }

  counters& w_;
  std::uint64_t first_;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> model_ =
      std::vector<std::uint64_t>(slots * static_cast<unsigned>(world().size()));
  std::deque<awaited> awaited_;
};

// Returns the first difference of any.
std::string play_together(counters& w, std::uint64_t seed, int steps) {
  std::deque<part> parts;
  for (int t = 0; t < threads; ++t)
    parts.emplace_back(w, t, seed + static_cast<unsigned>(threads * me() + t));
  std::vector<std::thread> all;
  for (part& p : parts) all.emplace_back([&p, steps] { p.play(steps); });
  for (std::thread& t : all) t.join();
  for (const part& p : parts)
    if (!p.failed.empty()) return p.failed;
  return {};
}

TEST(GatheredThreads, EachFindsWhatItHasDone) {
  const std::uint64_t s = world().allreduce(seed(), atomic_op::max);
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(s));
  for (const char* bytes : {"33554432", "65536"}) {
    const scoped_variable most("ORIEL_AGGREGATE_BYTES", bytes);
    auto w = gathering_window<ordered>(slots * static_cast<unsigned>(threads * world().size()));
    {
      auto epoch = w.lock_all();
      EXPECT_EQ(play_together(w, s, checking() ? 300 : 3000), "") << "with " << bytes << " bytes";
    }
    meet();
  }
}

}  // namespace
}  // namespace oriel::testing
