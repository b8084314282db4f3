// Small operations on memory that only its owner has mapped, in epochs of active target: they may
// go by the words that end the epoch, and their owner carries them out as it leaves it.
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::fence | assertion::pscw |
                         assertion::ordered_accumulate | assertion::notify |
                         assertion::local_load_store;
constexpr std::size_t room = 64;  // elements a rank

using word = std::uint64_t;

struct private_window {
  std::vector<word> memory = std::vector<word>(room);
  window<word, promise> w = make();
  window<word, promise> make() {
    window_options options;
    options.notify_counters = 1;
    options.hints.set("oriel_move_private", "false");
    return window<word, promise>::create(world(), std::span(memory), options);
  }
};

// Of all epochs: ranks go on after a wrong element, since others wait for them.
class checker {
 public:
  void expect(word seen, word expected, const std::string& where) {
    if (seen != expected && wrong_++ == 0)
      first_ = where + ": " + std::to_string(seen) + ", not " + std::to_string(expected);
  }
  ~checker() { EXPECT_EQ(wrong_, 0) << "the first: " << first_; }

 private:
  int wrong_ = 0;
  std::string first_;
};

// What one rank does in one epoch. No two ranks change one element in an epoch.
struct step {
  int origin, target;
  std::size_t element;
  int kind;  // 0: put, 1: add, 2: two puts, 3: put, then add, then get
  word value;
};

// The same on every rank.
class plan {
 public:
  plan(std::uint64_t seed, int ranks) : random_(seed), ranks_(ranks) {}
  std::vector<step> next_epoch() {
    std::vector<step> steps;
    std::vector<std::vector<bool>> used(static_cast<std::size_t>(ranks_),
                                        std::vector<bool>(room, false));
    for (int origin = 0; origin < ranks_; ++origin)
      for (int n = static_cast<int>(random_() % 3); n > 0; --n) {
        const auto target = static_cast<int>(random_() % static_cast<unsigned>(ranks_));
        // Few elements, so that epochs that follow each other change the same ones.
        const std::size_t element = random_() % 8;
        if (used[static_cast<std::size_t>(target)][element]) continue;
        used[static_cast<std::size_t>(target)][element] = true;
        steps.push_back({origin, target, element, static_cast<int>(random_() % 4), random_()});
      }
    return steps;
  }

 private:
  std::mt19937_64 random_;
  int ranks_;
};

word after(const step& s, word before) {
  return s.kind == 1 ? before + s.value : s.kind == 3 ? 2 * s.value : s.value;
}

void carry_out(const step& s, private_window& p, checker& check) {
  const rank to{s.target};
  const disp at{s.element};
  if (s.kind == 2) p.w.put(to, at, ~s.value).or_throw();
  if (s.kind != 1) p.w.put(to, at, s.value).or_throw();
  if (s.kind == 1 || s.kind == 3) p.w.add(to, at, s.value).or_throw();
  if (s.kind == 3) {
    check.expect(p.w.get(to, at), 2 * s.value, "in the epoch itself");
  }
}

// Every other epoch all ranks read, where they are, what the one before has made of others' memory.
TEST(Letters, AreCarriedOutBeforeAnybodyAccessesWhatTheyChange) {
  std::uint64_t seed = testing::seed();
  world().broadcast(seed, rank{0}).or_throw();
  SCOPED_TRACE("ORIEL_TEST_SEED=" + std::to_string(seed));
  checker check;
  plan all(seed, ranks());
  private_window p;
  std::vector<std::vector<word>> expected(static_cast<std::size_t>(ranks()),
                                          std::vector<word>(room));
  p.w.fence().or_throw();
  for (int epoch = 0; epoch < 2000; ++epoch) {
    const std::vector<step> steps = all.next_epoch();
    for (const step& s : steps)
      if (s.origin == me()) carry_out(s, p, check);
    p.w.fence().or_throw();
    for (const step& s : steps) {
      word& e = expected[static_cast<std::size_t>(s.target)][s.element];
      e = after(s, e);
    }
    if (epoch % 2 == 0) continue;
    const std::string now = "epoch " + std::to_string(epoch) + ", ";
    for (const step& s : steps)
      check.expect(p.w.get(rank{s.target}, disp{s.element}),
                   expected[static_cast<std::size_t>(s.target)][s.element],
                   now + "seen from here, what rank " + std::to_string(s.origin) + " did (" +
                       std::to_string(s.kind) + ") to rank " + std::to_string(s.target));
    p.w.fence().or_throw();
    for (std::size_t i = 0; i < room; ++i)
      check.expect(p.memory[i], expected[static_cast<std::size_t>(me())][i],
                   now + "element " + std::to_string(i));
    p.w.fence().or_throw();
  }
}

// All others complete one exposure; one of them has room for a letter.
TEST(Letters, OfSeveralOriginsReachOneThatWaits) {
  checker check;
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  private_window p;
  std::vector<rank> others;
  for (int r = 0; r < ranks(); ++r)
    if (r != me()) others.emplace_back(r);
  const auto mine = static_cast<std::size_t>(me());
  for (word round = 1; round <= 300; ++round) {
    p.w.any().post(others).or_throw();
    p.w.any().start(others).or_throw();
    for (const rank r : others) {
      if (round % 2 == 0)
        p.w.put(r, disp{mine}, round).or_throw();
      else
        p.w.add(r, disp{mine}, 1).or_throw();
    }
    p.w.any().complete().or_throw();
    if (round % 3 == 0) {
      const auto& view = p.w.any().view();
      for (bool done = false; !done;)
        ASSERT_EQ(view.ops->wait(*view.core, &done, call_site{}), errc::success);
    } else {
      p.w.any().wait().or_throw();
    }
    for (const rank r : others)
      check.expect(p.memory[static_cast<std::size_t>(r.value)], round,
                   "round " + std::to_string(round));
  }
}

// A letter for one target stays with it while its origin turns to others.
TEST(Letters, AreForTheTargetOfTheirEpoch) {
  checker check;
  if (ranks() < 3) GTEST_SKIP() << "needs three ranks";
  private_window p;
  const rank next = world().next(), previous{(me() + ranks() - 1) % ranks()};
  for (word round = 1; round <= 200; ++round) {
    p.w.any().post(std::span(&previous, 1)).or_throw();
    p.w.any().start(std::span(&next, 1)).or_throw();
    p.w.put(next, disp{0}, round).or_throw();
    p.w.any().complete().or_throw();
    p.w.any().wait().or_throw();
    check.expect(p.memory[0], round, "round " + std::to_string(round));
    p.w.any().post(std::span(&next, 1)).or_throw();
    p.w.any().start(std::span(&previous, 1)).or_throw();
    p.w.put(previous, disp{1}, round).or_throw();
    p.w.any().complete().or_throw();
    p.w.any().wait().or_throw();
    check.expect(p.memory[1], round, "round " + std::to_string(round));
  }
}

// Each epoch has its own.
TEST(Letters, GoByWhatEndsTheirEpoch) {
  if (ranks() == 1) GTEST_SKIP() << "needs two ranks";
  checker check;
  private_window p;
  const rank next = world().next(), previous{(me() + ranks() - 1) % ranks()};
  for (word round = 1; round <= 50; ++round) {
    p.w.any().post(std::span(&previous, 1)).or_throw();
    p.w.any().start(std::span(&next, 1)).or_throw();
    p.w.put(next, disp{1}, round).or_throw();
    p.w.fence().or_throw();
    check.expect(p.memory[1], round, "after the fence");
    p.w.put(next, disp{2}, round).or_throw();
    p.w.any().complete().or_throw();
    p.w.any().wait().or_throw();
    check.expect(p.memory[1], round, "after the wait");
    check.expect(p.memory[2], round, "after the wait");
    world().barrier().or_throw();
  }
}

TEST(Letters, AreCompleteAfterAFlushToo) {
  checker check;
  private_window p;
  const rank next = world().next();
  for (word round = 1; round <= 100; ++round) {
    p.w.fence().or_throw();
    if (round % 2 == 0)
      p.w.put(next, disp{0}, round).or_throw();
    else
      p.w.add(next, disp{0}, 1).or_throw();
    p.w.flush(next).or_throw();
    world().barrier().or_throw();
    check.expect(p.memory[0], round, "round " + std::to_string(round));
    world().barrier().or_throw();
  }
}

TEST(Letters, ComeBeforeTheirOriginsNotification) {
  checker check;
  private_window p;
  const rank next = world().next();
  for (word round = 1; round <= 100; ++round) {
    p.w.fence().or_throw();
    p.w.add(next, disp{0}, 1).or_throw();
    p.w.put_notify(next, disp{1}, round, 0).or_throw();
    p.w.wait_notify(0, round).or_throw();
    check.expect(p.memory[0], round, "round " + std::to_string(round));
    check.expect(p.memory[1], round, "round " + std::to_string(round));
    world().barrier().or_throw();
  }
}

TEST(Letters, AreNotLostWhenTheirWindowIsFreed) {
  std::vector<word> memory;
  {
    private_window p;
    p.w.fence().or_throw();
    p.w.put(world().next(), disp{3}, 77).or_throw();
    p.w.free().or_throw();
    memory = p.memory;
  }
  EXPECT_EQ(memory[3], 77u);
}

// Both windows expose the same memory.
TEST(Letters, OfOneWindowAreThereForAnother) {
  checker check;
  private_window p;
  window_options options;
  options.hints.set("oriel_move_private", "false");
  auto other = window<word, promise>::create(world(), std::span(p.memory), options);
  const rank next = world().next();
  for (word round = 1; round <= 200; ++round) {
    p.w.fence().or_throw();
    p.w.put(next, disp{0}, round).or_throw();
    p.w.fence().or_throw();
    other.fence().or_throw();
    check.expect(other.get(next, disp{0}), round, "round " + std::to_string(round));
    other.fence().or_throw();
  }
}

}  // namespace
}  // namespace oriel::testing
