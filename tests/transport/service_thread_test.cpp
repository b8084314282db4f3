// The library's thread that serves clients, whatever it sleeps on.
#include "transport/service_thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/soon.hpp"

namespace oriel::transport {
namespace {

using testing::soon;

// Naps of a millisecond; others serve when the test says so.
struct noted {
  std::atomic<bool> others{false};
  std::atomic<int> rounds{0}, worked{0};
  std::atomic<bool> ended_early{false};
};
class noting final : public service_thread::rest {
 public:
  explicit noting(noted& seen) noexcept : seen_(seen) {}
  void begin_round() noexcept override { ++seen_.rounds; }
  void until_next(bool worked, const std::atomic<bool>&) noexcept override {
    if (worked) ++seen_.worked;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void end_early() noexcept override { seen_.ended_early = true; }
  bool others_serve() noexcept override { return seen_.others; }

 private:
  noted& seen_;
};

// What passes by is let in.
class open_thread final : public service_thread {
 public:
  explicit open_thread(noted& seen) : service_thread(std::make_unique<noting>(seen)) {}
  using service_thread::serve_here;
};

TEST(ServiceThread, ServesAllClientsEachRoundAndKnowsWhetherThereWasWork) {
  noted seen;
  open_thread t(seen);
  EXPECT_FALSE(t.running());
  std::atomic<int> idle{0}, busy{0};
  std::atomic<bool> blocks_signals{false};
  t.add(&idle, [&] {
    ++idle;
    return false;
  });
  EXPECT_TRUE(t.running());
  EXPECT_TRUE(soon([&] { return idle > 3; }));
  EXPECT_EQ(seen.worked, 0);
  t.add(&busy, [&] {
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    blocks_signals = sigismember(&blocked, SIGINT) == 1;
    ++busy;
  });
  EXPECT_TRUE(soon([&] { return busy > 3 && seen.worked > 3; }));
  EXPECT_TRUE(blocks_signals);
  t.remove(&busy);
  const int last = busy;
  const int before = seen.rounds;
  EXPECT_TRUE(soon([&] { return seen.rounds > before + 2; }));
  EXPECT_EQ(busy, last);
  EXPECT_FALSE(seen.ended_early);
  t.end();
  EXPECT_TRUE(seen.ended_early);
  EXPECT_FALSE(t.running());
}

TEST(ServiceThread, StepsAsideForThoseWhoServe) {
  noted seen;
  seen.others = true;
  open_thread t(seen);
  std::atomic<int> served{0};
  t.add(&served, [&] { ++served; });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(served, 0);
  EXPECT_EQ(t.serve_here(), true);
  EXPECT_EQ(served, 1);
  seen.others = false;
  EXPECT_TRUE(soon([&] { return served > 1; }));
}

// As a launcher does with a rank; the test's own launcher is bound to fewer cores where there is
// but one.
TEST(ServiceThread, IsNotBoundToItsRanksCore) {
  cpu_set_t launcher, before, one;
  ASSERT_EQ(sched_getaffinity(getppid(), sizeof launcher, &launcher), 0);
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  if (CPU_COUNT(&launcher) < 2) GTEST_SKIP() << "one core";
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  noted seen;
  open_thread t(seen);
  std::atomic<int> served{0};
  cpu_set_t found;
  t.add(&served, [&] {
    sched_getaffinity(0, sizeof found, &found);
    ++served;
  });
  EXPECT_TRUE(soon([&] { return served > 0; }));
  t.end();
  CPU_OR(&launcher, &launcher, &one);
  EXPECT_TRUE(CPU_EQUAL(&found, &launcher))
      << CPU_COUNT(&found) << " cores of " << CPU_COUNT(&launcher);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(ServiceThread, EndsWithoutHavingStarted) {
  noted seen;
  open_thread t(seen);
  t.end();
  EXPECT_FALSE(seen.ended_early);
}

}  // namespace
}  // namespace oriel::transport
