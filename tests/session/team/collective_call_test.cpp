// Ranks that call different collectives of a team, or one with different arguments, all get the
// error and none waits for ever. One and several nodes.
#include <functional>
#include <numeric>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

// What was called, as texts name it, and what came of it: codes, whether returned or thrown.
struct call {
  std::string name;
  std::function<status(const team&)> run;
  // Two calls of one name differ in their lists alone.
  [[nodiscard]] std::string words() const { return name.substr(0, name.find(" of other")); }
};

template <class Work>
status code_of(Work work) {
  return catch_error(work).code;
}

constexpr assertion_set promise = assertion::shared_lock | assertion::multi_element;

std::vector<rank> in_order(int n, int first) {
  std::vector<rank> chosen;
  for (int r = 0; r < n; ++r) chosen.emplace_back((first + r) % n);
  return chosen;
}

const std::vector<call>& calls() {
  static std::array<std::uint64_t, 64> some;
  static const std::vector<call> all{
      {"team::barrier", [](const team& t) { return t.barrier(); }},
      {"team::broadcast of 8 bytes from rank 0",
       [](const team& t) { return t.broadcast_bytes(some.data(), 8, rank{0}); }},
      {"team::broadcast of 16 bytes from rank 0",
       [](const team& t) { return t.broadcast_bytes(some.data(), 16, rank{0}); }},
      {"team::broadcast of 8 bytes from rank 1",
       [](const team& t) { return t.broadcast_bytes(some.data(), 8, rank{1}); }},
      {"team::allgather of 8 bytes a rank",
       [](const team& t) { return code_of([&] { (void)t.allgather(std::uint64_t{1}); }); }},
      {"team::allgather of 4 bytes a rank",
       [](const team& t) { return code_of([&] { (void)t.allgather(1); }); }},
      {"team::allreduce of int64 with sum",
       [](const team& t) {
         return code_of([&] { (void)t.allreduce(std::int64_t{1}, atomic_op::sum); });
       }},
      {"team::allreduce of int64 with max",
       [](const team& t) {
         return code_of([&] { (void)t.allreduce(std::int64_t{1}, atomic_op::max); });
       }},
      {"team::allreduce of double with sum",
       [](const team& t) { return code_of([&] { (void)t.allreduce(1.0, atomic_op::sum); }); }},
      {"team::split",
       [](const team& t) { return code_of([&] { (void)t.split(t.me().value % 2); }); }},
      {"team::subset",
       [](const team& t) { return code_of([&] { (void)t.subset(in_order(t.size(), 0)); }); }},
      {"team::subset of other ranks",
       [](const team& t) { return code_of([&] { (void)t.subset(in_order(t.size(), 1)); }); }},
      {"window::allocate",
       [](const team& t) { return code_of([&] { window<int, promise>::allocate(t, 10); }); }},
      {"window::create",
       [](const team& t) {
         return code_of([&] { window<int>::create(t, promise | assertion::attach); });
       }},
  };
  return all;
}

// Rank `odd` calls `other`, all else `one`.
void expect_mismatch(const call& one, const call& other, int odd) {
  SCOPED_TRACE(one.name + ", but rank " + std::to_string(odd) + " " + other.name);
  const team t = world().split(0);
  const call& mine = me() == odd ? other : one;
  const status met = mine.run(t);
  EXPECT_EQ(name(met.code()), "mismatched_collective");
  const std::string text = t.failure();
  const int first = 0;
  const int different = odd == 0 ? 1 : odd;
  const std::string here = ", rank " + std::to_string(me()) + ": " + mine.words();
  EXPECT_NE(text.find(here), std::string::npos) << here << " in: " << text;
  for (const int r : {first, different}) {
    const std::string told = "rank " + std::to_string(r) + " " + (r == odd ? other : one).words();
    EXPECT_NE(text.find(told), std::string::npos) << told << " in: " << text;
  }
  // And so do all later ones.
  EXPECT_EQ(name(t.barrier().code()), "mismatched_collective");
}

TEST(MismatchedCollectives, AreToldToAll) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  for (std::size_t i = 0; i < calls().size(); ++i) {
    for (std::size_t j = i + 1; j < calls().size(); ++j) {
      const bool low = (i + j) % 2 == 0;
      expect_mismatch(calls()[i], calls()[j], low ? 0 : ranks() - 1);
    }
  }
}

TEST(MismatchedCollectives, MayBeFreesOfDifferentWindows) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const team t = world().split(0);
  std::array<int, 4> memory{};
  auto one = window<int, promise>::create(t, std::span(memory).first(2));
  auto two = window<int, promise>::create(t, std::span(memory).last(2));
  auto& mine = me() == 0 ? one : two;
  EXPECT_EQ(name(mine.free().code()), "mismatched_collective");
  EXPECT_NE(t.failure().find("window::free of another window"), std::string::npos) << t.failure();
}

// Ranks of one node need not wait for each other to free memory of oriel's, except under
// ORIEL_CHECK.
TEST(MismatchedCollectives, MayBeFreesOfDifferentAllocatedWindowsUnderTheChecks) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  if (!checking()) GTEST_SKIP() << "needs ORIEL_CHECK";
  const team t = world().split(0);
  auto one = window<int, promise>::allocate(t, 2);
  auto two = window<int, promise>::allocate(t, 2);
  auto& mine = me() == 0 ? one : two;
  EXPECT_EQ(name(mine.free().code()), "mismatched_collective");
}

// A rank with arguments that are not valid gets their code; the others need not wait for it.
TEST(MismatchedCollectives, MayBeArgumentsThatOneRankCannotGive) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const bool wrong = me() == ranks() - 1;
  {
    const team t = world().split(0);
    int value = 0;
    EXPECT_EQ(name(t.broadcast(value, rank{wrong ? ranks() : 0}).code()),
              wrong ? "rank" : "mismatched_collective");
    world().barrier().or_throw();
  }
  {
    const team t = world().split(0);
    const thrown said = catch_error(
        [&] { static_cast<void>(t.allreduce(1, wrong ? atomic_op::minloc : atomic_op::sum)); });
    EXPECT_EQ(name(said.code), wrong ? "op" : "mismatched_collective") << said.text;
    world().barrier().or_throw();
  }
  {
    const team t = world().split(0);
    const std::array chosen{rank{0}, rank{wrong ? ranks() : 1}};
    const thrown said = catch_error([&] { static_cast<void>(t.subset(chosen)); });
    EXPECT_EQ(name(said.code), wrong ? "rank" : "mismatched_collective") << said.text;
    world().barrier().or_throw();
  }
  const team t = world().split(0);
  int value = 0;
  EXPECT_EQ(name(t.broadcast(value, rank{-1}).code()), "rank");  // all alike
  EXPECT_TRUE(t.barrier().ok()) << t.failure();
}

TEST(MismatchedCollectives, AreNotThoseThatAgree) {
  const team t = world().split(0);
  for (const call& c : calls()) {
    SCOPED_TRACE(c.name);
    // Of two ranks both are roots; of one there is no second.
    if (ranks() > 1 || c.name.find("rank 1") == std::string::npos) {
      EXPECT_EQ(name(c.run(t).code()), "success") << t.failure();
    }
  }
  EXPECT_EQ(t.failure(), "");
}

}  // namespace
}  // namespace oriel::testing
