// ORIEL_CHECK=1: accesses of two ranks conflict unless synchronization orders them, whatever their
// moments. Run with the variable set, by two ranks or more; the third and later ones only meet.
#include <thread>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promise = assertion::shared_lock | assertion::exclusive_lock |
                                  assertion::fence | assertion::pscw | assertion::multi_element |
                                  assertion::notify;
using checked = window<int, promise>;
constexpr rank first{0}, second{1};

class Order : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
    w = checked::allocate(world(), 64, {.name = "ordered"});
  }
  // Long after what the other rank did, by a clock that orders nothing.
  static void much_later() { std::this_thread::sleep_for(std::chrono::milliseconds(250)); }
  void put(rank to) { ok(w->put(to, disp{0}, me())); }
  void put_fails(rank to) {
    EXPECT_EQ(name(w->put(to, disp{0}, me()).code()), "rma_conflict");
    EXPECT_NE(w->failure().find("order_test.cpp"), std::string::npos) << w->failure();
    EXPECT_NE(w->failure().find("nothing orders them"), std::string::npos) << w->failure();
    w->clear_failure();
  }
  void ok(status s) { EXPECT_TRUE(s.ok()) << w->failure(); }
  void meet() { ok(world().barrier()); }

  std::optional<checked> w;
};

TEST_F(Order, IsMissingAfterAnUnlockThatOnlyTimeSeparates) {
  meet();
  if (me() == 1) much_later();
  if (me() < 2) {
    auto epoch = w->lock_shared(first);
    me() == 0 ? put(first) : put_fails(first);
    ok(epoch.end());
  }
  meet();
}

TEST_F(Order, IsMissingAfterAFlushThatOnlyTimeSeparates) {
  auto epoch = w->lock_all();
  meet();
  if (me() == 1) much_later();
  if (me() == 0) put(first);
  if (me() == 1) put_fails(first);
  ok(w->flush(first));
  meet();
  ok(epoch.end());
}

// The barrier before both accesses orders neither.
TEST_F(Order, OfABarrierIsOfWhatCameBeforeIt) {
  auto epoch = w->lock_all();
  if (me() == 0) put(first);
  ok(w->flush(first));
  meet();
  if (me() == 1) {
    put(first);
    ok(w->flush(first));
  }
  if (me() == 0) {
    much_later();
    put_fails(first);
  }
  meet();
  if (me() == 0) put(first);
  ok(epoch.end());
  meet();
}

// A put is not complete at its target when the origin meets the other, or calls sync.
TEST_F(Order, NeedsAFlush) {
  auto epoch = w->lock_all();
  if (me() == 0) put(second);
  ok(w->sync());
  meet();
  ok(w->sync());
  if (me() == 1) put_fails(second);
  meet();
  ok(w->flush(second));
  meet();
  if (me() == 1) put(second);
  ok(epoch.end());
  meet();
}

TEST_F(Order, OfFences) {
  for (int round = 0; round < 4; ++round) {
    ok(w->fence());
    if (me() == round % 2) put(first);
  }
  ok(w->fence());
  meet();
}

TEST_F(Order, OfPostStartCompleteWait) {
  const std::array<rank, 1> other{rank{1 - me()}};
  for (int round = 0; round < 3 && me() < 2; ++round) {
    if (me() == 0) {
      ok(w->post(other));
      ok(w->wait());
      auto epoch = w->lock_shared(first);
      put(first);
      ok(epoch.end());
    } else {
      auto epoch = w->start(other);
      put(first);
      ok(epoch.end());
    }
  }
  meet();
}

// Two ranks that exclude each other are in some order.
TEST_F(Order, OfExclusiveLocks) {
  meet();
  for (int round = 0; round < 20 && me() < 2; ++round) {
    auto epoch = w->lock_exclusive(second);
    put(second);
    ok(epoch.end());
  }
  meet();
}

TEST_F(Order, OfSharedLocksIsThatWithExclusiveOnes) {
  meet();
  if (me() == 1) much_later();
  if (me() == 0) {
    auto epoch = w->lock_shared(second);
    put(second);
    ok(epoch.end());
  }
  if (me() == 1) {
    auto epoch = w->lock_exclusive(second);
    put(second);
    ok(epoch.end());
  }
  meet();
}

TEST_F(Order, OfNotifications) {
  auto epoch = w->lock_all();
  if (me() == 0) {
    put(second);
    ok(w->flush(second));
    ok(w->put_notify(second, disp{8}, 1, 0));
  }
  if (me() == 1) {
    ok(w->wait_notify(0, 1));
    put(second);
    ok(w->put(second, disp{8}, 2));
  }
  meet();
  ok(epoch.end());
}

// Of what came before it a notification completes nothing.
TEST_F(Order, OfNotificationsNeedsTheFlush) {
  auto epoch = w->lock_all();
  if (me() == 0) {
    put(second);
    ok(w->put_notify(second, disp{8}, 1, 0));
  }
  if (me() == 1) {
    ok(w->wait_notify(0, 1));
    put_fails(second);
    ok(w->put(second, disp{8}, 2));
  }
  meet();
  ok(epoch.end());
}

// Which is kept as one access, and drives out none.
TEST_F(Order, OfANotificationIsOfALayoutThatItPuts) {
  constexpr std::size_t n = 600;
  auto strided = window<int, promise | assertion::user_datatype>::allocate(world(), 1 + 2 * n);
  auto epoch = strided.lock_all();
  const std::vector<int> values(n, 1);
  const datatype element = datatype::of<int>();
  if (me() == 0) {
    ok(strided.put(second, disp{0}, 1));
    ok(strided.put_notify(second, disp{1}, values.data(), shape{element, n},
                          shape{datatype::vector(n, 1, 2, element), 1}, 0));
  }
  if (me() == 1) {
    ok(strided.wait_notify(0, 1));
    EXPECT_EQ(name(strided.put(second, disp{0}, 2).code()), "rma_conflict");
    strided.clear_failure();
    EXPECT_TRUE(strided.put(second, disp{2 * n - 1}, 2).ok()) << strided.failure();
  }
  meet();
  ok(epoch.end());
}

TEST_F(Order, OfOrderedNotificationsIsOfAllBefore) {
  auto ordered = window<int, promise | assertion::ordered_notify>::allocate(world(), 4);
  auto epoch = ordered.lock_all();
  if (me() == 0) {
    ok(ordered.put(second, disp{0}, 1));
    ok(ordered.notify(second, 0));
  }
  if (me() == 1) {
    ok(ordered.wait_notify(0, 1));
    ok(ordered.put(second, disp{0}, 2));
  }
  meet();
  ok(epoch.end());
}

// Whatever has completed it.
TEST_F(Order, OfNotificationsBehindTheEndOfAnEpoch) {
  if (me() == 0) {
    auto epoch = w->lock_shared(second);
    put(second);
    ok(epoch.end());
  }
  auto epoch = w->lock_all();
  if (me() == 0) ok(w->notify(second, 0));
  if (me() == 1) {
    ok(w->wait_notify(0, 1));
    put(second);
  }
  meet();
  ok(epoch.end());
}

// A flag that is set by an atomic after a flush, and seen by another: what follows is ordered.
TEST_F(Order, OfAtomics) {
  auto epoch = w->lock_all();
  if (me() == 0) {
    put(second);
    ok(w->flush(second));
    ok(w->add(second, disp{32}, 1));
  }
  if (me() == 1) {
    while (w->fetch_add(second, disp{32}, 0) == 0) std::this_thread::yield();
    put(second);
  }
  meet();
  ok(epoch.end());
}

TEST_F(Order, OfAtomicsNeedsTheFlush) {
  auto epoch = w->lock_all();
  if (me() == 0) {
    put(second);
    ok(w->add(second, disp{32}, 1));
  }
  if (me() == 1) {
    while (w->fetch_add(second, disp{32}, 0) == 0) std::this_thread::yield();
    put_fails(second);
  }
  meet();
  ok(epoch.end());
}

// What a rank does as soon as it has the window comes after what others do to construct it: which
// of the two puts is refused, the later one, is left to chance.
TEST_F(Order, OfConstructionIsOfWhatCameBeforeIt) {
  for (int round = 0; round < 40; ++round) {
    auto made = checked::allocate(world(), 4, {.name = "made"});
    auto epoch = made.lock_all();
    if (me() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    int refused = 0;
    if (me() < 2) {
      refused = name(made.put(first, disp{0}, me()).code()) == "rma_conflict" ? 1 : 0;
      made.clear_failure();
      ok(made.flush(first));
    }
    EXPECT_EQ(world().allreduce(refused, atomic_op::sum), 1);
    ok(epoch.end());
  }
}

// By way of a third rank, or of another window.
TEST_F(Order, PassesThroughOtherRanksAndWindows) {
  auto other = checked::allocate(world(), 4, {.name = "other"});
  auto epoch = w->lock_all();
  auto other_epoch = other.lock_all();
  const int last = ranks() - 1;
  if (me() == 0) {
    put(second);
    ok(w->flush(second));
    ok(other.put_notify(rank{last}, disp{0}, 1, 0));
  }
  if (me() == last) {
    ok(other.wait_notify(0, 1));
    put(second);
  }
  meet();
  ok(other_epoch.end());
  ok(epoch.end());
}

}  // namespace
}  // namespace oriel::testing
