// ORIEL_CHECK=1 finds bounds, epochs and conflicts, and says where. Run with the variable set.
#include <algorithm>
#include <array>
#include <thread>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promise = assertion::shared_lock | assertion::exclusive_lock |
                                  assertion::fence | assertion::pscw | assertion::multi_element |
                                  assertion::local_load_store;
using checked = window<int, promise>;

void expect_failure(checked& w, status got, errc code, const char* said) {
  EXPECT_EQ(got.code(), code) << w.failure();
  const std::string text = w.failure();
  for (const std::string& part : {std::string(said), std::string("'checked'"),
                                  "rank " + std::to_string(me()), std::string("check_test.cpp:")})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  w.clear_failure();
}

checked make() {
  return checked::allocate(world(), 10, {.name = "checked"});
}

TEST(Check, Bounds) {
  auto w = make();
  auto epoch = w.lock_all();
  const rank next = world().next();
  const std::array<int, 3> three{};
  expect_failure(w, w.put(next, disp{10}, 1), errc::rma_range, "which exposes 10");
  expect_failure(w, w.put(next, disp{8}, std::span<const int>(three)), errc::rma_range, "[8, 11)");
  expect_failure(w, w.put(rank{ranks()}, disp{0}, 1), errc::rank, "the team has ranks 0 to");
  int value = 0;
  expect_failure(w, w.get(next, disp{1u << 30}, value), errc::rma_range, "get");
  expect_failure(w, w.add(next, disp{10}, 1), errc::rma_range, "accumulate");
  EXPECT_TRUE(w.put(next, disp{9}, 1).ok()) << w.failure();
  epoch.end().or_throw();
  world().barrier().or_throw();
}

TEST(Check, Epochs) {
  auto w = make();
  const rank next = world().next();
  expect_failure(w, w.put(next, disp{0}, 1), errc::rma_sync, "outside of any access epoch");
  expect_failure(w, w.flush(next), errc::rma_sync, "flush outside");
  {
    auto epoch = w.lock_exclusive(next);
    EXPECT_TRUE(w.put(next, disp{0}, 1).ok()) << w.failure();
    if (ranks() > 1) {
      expect_failure(w, w.put(rank{me()}, disp{0}, 1), errc::rma_sync, "outside of any");
    }
  }
  world().barrier().or_throw();
  w.fence().or_throw();
  EXPECT_TRUE(w.put(next, disp{0}, 1).ok()) << w.failure();
  w.fence(nosucceed).or_throw();
  expect_failure(w, w.put(next, disp{0}, 1), errc::rma_sync, "outside of any access epoch");
  world().barrier().or_throw();
}

TEST(Check, AFlushOfSeveralWindowsSaysWhereItIs) {
  auto w = make();
  auto other = window<int>::allocate(world(), 1, promise);
  auto epoch = other.lock_all();
  expect_failure(w, flush(w, other), errc::rma_sync, "flush outside");
  expect_failure(w, flush(other, w), errc::rma_sync, "flush outside");
}

TEST(Check, ConflictsInOneEpoch) {
  auto w = make();
  const rank next = world().next();
  auto epoch = w.lock_shared(next);
  int value = 0;
  EXPECT_TRUE(w.put(next, disp{0}, 1).ok());
  expect_failure(w, w.put(next, disp{0}, 2), errc::rma_conflict, "overlaps a put of rank");
  expect_failure(w, w.get(next, disp{0}, value), errc::rma_conflict, "nothing orders them");
  expect_failure(w, w.add(next, disp{0}, 2), errc::rma_conflict, "accumulate");
  EXPECT_TRUE(w.put(next, disp{1}, 2).ok()) << w.failure();
  EXPECT_TRUE(w.get(next, disp{2}, value).ok());
  EXPECT_TRUE(w.get(next, disp{2}, value).ok()) << "gets do not conflict";
  EXPECT_TRUE(w.add(next, disp{3}, 1).ok());
  EXPECT_TRUE(w.fetch_op(atomic_op::max, next, disp{3}, 1, value).ok())
      << "accumulates do not conflict";
  EXPECT_TRUE(w.flush(next).ok()) << w.failure();
  EXPECT_TRUE(w.put(next, disp{0}, 3).ok()) << "a flush ends what came before: " << w.failure();
  epoch.end().or_throw();
  world().barrier().or_throw();
}

// More than are kept: those of a loop are kept together.
TEST(Check, ConflictsBehindALoop) {
  auto w = checked::allocate(world(), 8192, {.name = "checked"});
  const rank next = world().next();
  const auto epoch = w.lock_all();
  const auto put = [&](std::uint64_t at) { return w.put(next, disp{at}, 1); };
  EXPECT_TRUE(put(0).ok());
  for (std::uint64_t i = 10; i < 4000; i += 3)
    EXPECT_TRUE(w.put(next, disp{i}, 1).ok()) << w.failure();
  for (std::uint64_t i = 8000; i > 4000; i -= 2)
    EXPECT_TRUE(w.put(next, disp{i}, 1).ok()) << w.failure();
  for (const std::uint64_t at : {0, 10, 13, 1000, 3997, 4002, 6000, 8000})
    expect_failure(w, put(at), errc::rma_conflict, "overlaps a put of rank");
  std::array<int, 2> both{};
  expect_failure(w, w.get(next, disp{1002}, std::span(both)), errc::rma_conflict, "overlaps a put");
  for (const std::uint64_t at : {1, 9, 11, 12, 999, 1001, 3998, 4001, 4003, 7999, 8001})
    EXPECT_TRUE(put(at).ok()) << at << ": " << w.failure();
  EXPECT_TRUE(w.flush(next).ok()) << w.failure();
  EXPECT_TRUE(put(1000).ok()) << w.failure();
  EXPECT_TRUE(w.flush(next).ok()) << w.failure();
  world().barrier().or_throw();
}

// As algorithms on w[r] do.
TEST(Check, AnElementIsWrittenAfterItHasBeenRead) {
  auto w = make();
  const rank next = world().next();
  {
    const auto epoch = w.lock_all();
    int value = 0;
    for (int i = 1; i <= 3; ++i) {
      EXPECT_TRUE(w.get(next, disp{0}, value).ok()) << w.failure();
      EXPECT_TRUE(w.put(next, disp{0}, i).ok()) << w.failure();
      EXPECT_TRUE(w.flush(next).ok());
    }
    std::array<int, 2> several{};
    EXPECT_TRUE(w.get(next, disp{2}, std::span(several)).ok());
    expect_failure(w, w.put(next, disp{3}, 1), errc::rma_conflict, "overlaps a get of rank");
    request under_way = w.rget(next, disp{5}, std::span(&value, 1));
    expect_failure(w, w.put(next, disp{5}, 1), errc::rma_conflict, "overlaps a get of rank");
    EXPECT_TRUE(under_way.wait().ok());
    EXPECT_TRUE(w.put(next, disp{5}, 1).ok()) << "the request is complete: " << w.failure();
    under_way = w.rget(next, disp{7}, std::span(several));
    while (!under_way.test()) EXPECT_TRUE(spans_nodes()) << "on one node it is complete on return";
    EXPECT_TRUE(w.put(next, disp{7}, 1).ok()) << "likewise: " << w.failure();
    w.flush(next).or_throw();
    const auto theirs = w[next];
    for (int i = 0; i < 10; ++i) theirs[static_cast<std::size_t>(i)] = 7 * i % 10;
    w.flush(next).or_throw();
    std::sort(theirs.begin(), theirs.end());
    EXPECT_TRUE(w.flush(next).ok()) << w.failure();
    for (int i = 0; i < 10; ++i) EXPECT_EQ(theirs[static_cast<std::size_t>(i)], i);
  }
  world().barrier().or_throw();
}

TEST(Check, AnElementOfARemoteViewIsNamedByTheProgramsLine) {
  auto w = make();
  const rank next = world().next();
  const auto epoch = w.lock_all();
  const auto theirs = w[next];
  const auto expect_line = [&w](int line) {
    const std::string text = w.failure();
    EXPECT_NE(text.find("check_test.cpp:" + std::to_string(line) + ")"), std::string::npos) << text;
    w.clear_failure();
  };
  theirs[10] = 1;
  expect_line(__LINE__ - 1);
  EXPECT_EQ(theirs[disp{10}], 0);
  expect_line(__LINE__ - 1);
  theirs[0] = theirs[10];
  expect_line(__LINE__ - 1);
  swap(theirs[1], theirs[11]);
  expect_line(__LINE__ - 1);
  *theirs.end() = 1;
  expect_line(__LINE__ - 1);
  std::fill_n(theirs.begin() + 9, 2, 1);
  expect_line(__LINE__ - 1);
  int value = 0;
  EXPECT_EQ(theirs[10].load(value), errc::rma_range);
  expect_line(__LINE__ - 1);
  world().barrier().or_throw();
}

TEST(Check, ANoOpIsARead) {
  auto w = make();
  const rank next = world().next();
  auto epoch = w.lock_shared(next);
  int value = 0;
  EXPECT_TRUE(w.get(next, disp{0}, value).ok());
  EXPECT_TRUE(w.fetch_op(atomic_op::no_op, next, disp{0}, 0, value).ok()) << w.failure();
  EXPECT_TRUE(w.get(next, disp{0}, value).ok()) << w.failure();
  EXPECT_TRUE(w.add(next, disp{1}, 1).ok());
  EXPECT_TRUE(w.fetch_op(atomic_op::no_op, next, disp{1}, 0, value).ok())
      << "accumulates do not conflict: " << w.failure();
  EXPECT_TRUE(w.put(next, disp{2}, 1).ok());
  expect_failure(w, w.fetch_op(atomic_op::no_op, next, disp{2}, 0, value), errc::rma_conflict,
                 "overlaps a put of rank");
  EXPECT_TRUE(w.fetch_op(atomic_op::no_op, next, disp{3}, 0, value).ok());
  expect_failure(w, w.put(next, disp{3}, 1), errc::rma_conflict, "overlaps an atomic read of rank");
  epoch.end().or_throw();
  world().barrier().or_throw();
}

// Elements are atomic, not their halves.
TEST(Check, AccumulatesOfOneTypeThatOverlapInPart) {
  any_window w = any_window::allocate(
      world(), 32, datatype::bytes(1),
      assertion::shared_lock | assertion::multi_element | assertion::user_datatype);
  const rank next = world().next();
  w.lock_all().or_throw();
  const int one = 1;
  int before = 0;
  const auto add = [&](std::uint64_t at) {
    return w.fetch_op(atomic_op::sum, primitive::int32, next, disp{at}, &one, &before).code();
  };
  EXPECT_EQ(name(add(8)), "success");
  EXPECT_EQ(name(add(8)), "success") << "the same element";
  EXPECT_EQ(name(add(12)), "success") << "the next one";
  EXPECT_EQ(name(add(10)), "rma_conflict");
  EXPECT_NE(w.failure().find("overlaps an accumulate of rank"), std::string::npos) << w.failure();
  w.clear_failure();
  w.unlock_all().or_throw();
  world().barrier().or_throw();
}

TEST(Check, BuffersThatTwoOperationsUse) {
  auto w = make();
  const rank next = world().next();
  auto epoch = w.lock_all();
  std::array<int, 4> buffer{};
  const std::span<int> all(buffer), half = all.first(2), other_half = all.last(2);
  EXPECT_TRUE(w.get(next, disp{0}, half).ok()) << w.failure();
  EXPECT_TRUE(w.get(next, disp{2}, other_half).ok()) << w.failure();
  expect_failure(w, w.get(next, disp{4}, all.subspan(1, 2)), errc::rma_conflict,
                 "overlaps the result of a get at");
  expect_failure(w, w.put(next, disp{6}, half), errc::rma_conflict, "source of a put to rank");
  EXPECT_TRUE(w.flush_local(next).ok()) << w.failure();
  EXPECT_TRUE(w.put(next, disp{6}, half).ok()) << "the get is complete here: " << w.failure();
  EXPECT_TRUE(w.put(next, disp{8}, half).ok()) << "both only read: " << w.failure();
  expect_failure(w, w.get(next, disp{4}, half), errc::rma_conflict,
                 "overlaps the source of a put at");
  int one = 0;
  EXPECT_TRUE(w.get(next, disp{2}, one).ok()) << w.failure();
  EXPECT_TRUE(w.get(next, disp{3}, one).ok()) << "usable on return: " << w.failure();
  epoch.end().or_throw();
  world().barrier().or_throw();
}

// A result in the memory of a window is a store there.
TEST(Check, BuffersInWindows) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  auto w = make();
  auto target = make();
  const auto view = w.local();
  auto epoch = w.lock_all();
  auto target_epoch = target.lock_all();
  if (me() == 0) {
    EXPECT_TRUE(target.get(rank{1}, disp{0}, view.first(2)).ok()) << target.failure();
  }
  world().barrier().or_throw();
  if (me() == 1) {
    expect_failure(w, w.put(rank{0}, disp{1}, 1), errc::rma_conflict,
                   "the result of an operation of rank 0 at");
  }
  world().barrier().or_throw();
  target.flush(rank{1}).or_throw();
  world().barrier().or_throw();
  if (me() == 1) {
    EXPECT_TRUE(w.put(rank{0}, disp{1}, 1).ok()) << w.failure();
  }
  target_epoch.end().or_throw();
  epoch.end().or_throw();
  world().barrier().or_throw();
}

TEST(Check, ConflictsBetweenRanks) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  auto w = make();
  w.fence().or_throw();
  if (me() == 0) {
    EXPECT_TRUE(w.put(rank{0}, disp{5}, 1).ok()) << w.failure();
  }
  world().barrier().or_throw();
  if (me() == 1) {
    expect_failure(w, w.put(rank{0}, disp{5}, 2), errc::rma_conflict, "put of rank 0 at");
  }
  w.fence().or_throw();
  if (me() == 1) {
    EXPECT_TRUE(w.put(rank{0}, disp{5}, 2).ok()) << "a new epoch: " << w.failure();
  }
  w.fence().or_throw();
  world().barrier().or_throw();
}

// Requests are begun by other code than operations; where memory is private, so are their routes.
TEST(Check, RequestsToRanksThatThereAreNot) {
  std::vector<int> mine(4);
  auto w = window<int>::create(world(), std::span(mine),
                               assertion::shared_lock | assertion::multi_element);
  const auto epoch = w.lock_all();
  const std::vector<int> row(2, 1);
  std::vector<int> got(2);
  for (const int r : {ranks(), -1, 1'000'000}) {
    EXPECT_EQ(name(w.rput(rank{r}, disp{0}, row).wait().code()), "rank") << w.failure();
    EXPECT_EQ(name(w.rget(rank{r}, disp{0}, std::span(got)).wait().code()), "rank") << w.failure();
  }
  w.clear_failure();
}

using noted = window<int, assertion::shared_lock | assertion::notify>;

TEST(Check, NotificationsOrderAccesses) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  auto w = noted::allocate(world(), 4);
  const auto epoch = w.lock_all();
  const rank other{1 - me()};
  for (int round = 1; round <= 3 && me() < 2; ++round) {
    const auto count = static_cast<std::uint64_t>(round);
    if (me() == 1) {
      EXPECT_TRUE(w.wait_notify(0, count).ok()) << w.failure();
    }
    EXPECT_TRUE(w.put_notify(other, disp{0}, round, 0).ok()) << w.failure();
    if (me() == 0) {
      EXPECT_TRUE(w.wait_notify(0, count).ok()) << w.failure();
    }
  }
  EXPECT_TRUE(world().barrier().ok());
}

// A rank that has seen by other means what another did, through a load that no window knows of.
TEST(Check, SyncOrdersAccesses) {
  if (ranks() < 2 || spans_nodes()) GTEST_SKIP() << "needs two ranks that share memory";
  auto w = make();
  auto flags =
      window<int, assertion::remote_load_store | assertion::local_load_store>::allocate(world(), 1);
  volatile int& flag = flags.remote(rank{0})[0];
  world().barrier().or_throw();  // who constructs last has heard of all that was done by then
  const auto epoch = w.lock_all();
  if (me() == 0) {
    EXPECT_TRUE(w.put(rank{0}, disp{1}, 1).ok()) << w.failure();
    EXPECT_TRUE(w.flush(rank{0}).ok());
    EXPECT_TRUE(w.sync().ok());
    flag = 1;
  }
  if (me() == 1) {
    while (flag == 0) std::this_thread::yield();
    EXPECT_EQ(name(w.put(rank{0}, disp{1}, 2).code()), "rma_conflict") << "before its own sync";
    w.clear_failure();
    EXPECT_TRUE(w.sync().ok());
    EXPECT_TRUE(w.put(rank{0}, disp{1}, 2).ok()) << w.failure();
  }
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Check, ARefusedNotificationEndsTheWaitForIt) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  auto w = noted::allocate(world(), 4);
  const auto epoch = w.lock_all();
  const rank next = world().next();
  EXPECT_EQ(name(w.put_notify(next, disp{4}, 1, 0).code()), "rma_range");
  EXPECT_EQ(name(w.wait_notify(0, 1).code()), "rma_range");
  EXPECT_NE(w.failure().find("a put_notify was refused"), std::string::npos) << w.failure();
  w.clear_failure();
  EXPECT_TRUE(w.put_notify(next, disp{3}, 1, 1).ok()) << w.failure();
  EXPECT_TRUE(w.wait_notify(1, 1).ok()) << w.failure();
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Check, AFlushIsOfARankOfTheTeam) {
  auto w = make();
  const auto epoch = w.lock_all();
  EXPECT_EQ(name(w.flush(rank{99}).code()), "rank");
  EXPECT_NE(w.failure().find("flush of rank 99"), std::string::npos) << w.failure();
  w.clear_failure();
  EXPECT_TRUE(w.flush(world().next()).ok());
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Check, IsSaidByExplain) {
  auto w = make();
  EXPECT_NE(w.explain().find("on: bounds, epochs, and conflicts"), std::string::npos);
  if (spans_nodes()) return;
  auto bare =
      window<int, assertion::remote_load_store | assertion::shared_lock>::allocate(world(), 1);
  EXPECT_NE(bare.explain().find("-DORIEL_CHECKED"), std::string::npos);
}

}  // namespace
}  // namespace oriel::testing
