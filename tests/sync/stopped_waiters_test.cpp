// Waiters that stop, or die, at any instruction keep no free lock from others.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <deque>
#include <random>

#include "sync/group_lock.hpp"
#include "tests/sync/processes.hpp"

namespace oriel {
namespace {

using namespace sync;
using namespace oriel::testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct board {
  group_lock_state lock;
  std::atomic<std::uint32_t> dead, over;
  std::atomic<int> readers, writers;
  std::array<std::atomic<long>, 8> entries;
  std::array<std::atomic<bool>, 8> inside;
};

// Bounded, so that a lock that stays shut fails the test and does not hang it.
const told_watch hopeful(nullptr, true, seconds(10));

bool door_is_shut(board& b) {
  if (!try_enter(b.lock, lock_group::shared, capacity::one, 2)) return true;
  leave(b.lock, lock_group::shared);
  return false;
}

// Somebody is in, shared; this one waits to be in alone.
child waiting_writer(board& b, int me) {
  return child([&b, me] {
    if (enter(b.lock, lock_group::exclusive, capacity::one, me, told_watch()) != errc::success)
      return 1;
    return leave(b.lock, lock_group::exclusive) == errc::success ? 0 : 2;
  });
}

TEST(stopped_waiter, keeps_no_free_lock_shut) {
  const shared<board> b;
  ASSERT_TRUE(try_enter(b->lock, lock_group::shared, capacity::one, 0));
  child writer = waiting_writer(*b, 1);
  ASSERT_TRUE(eventually([&] {
    if (!door_is_shut(*b)) return false;
    writer.stop();
    // It may have opened the door just before it stopped.
    if (door_is_shut(*b)) return true;
    writer.go_on();
    return false;
  }));
  ASSERT_EQ(leave(b->lock, lock_group::shared), errc::success);
  EXPECT_EQ(enter(b->lock, lock_group::shared, capacity::one, 2, hopeful), errc::success);
  EXPECT_EQ(leave(b->lock, lock_group::shared), errc::success);
  EXPECT_EQ(enter(b->lock, lock_group::exclusive, capacity::one, 2, hopeful), errc::success);
  EXPECT_EQ(leave(b->lock, lock_group::exclusive), errc::success);
  writer.go_on();
  EXPECT_EQ(writer.join(), 0) << "and gets in itself when it goes on";
}

// Its death is not known: those who look at their peers give up on a dead one anyway.
TEST(stopped_waiter, that_is_killed_keeps_no_free_lock_shut) {
  const shared<board> b;
  ASSERT_TRUE(try_enter(b->lock, lock_group::shared, capacity::one, 0));
  child writer = waiting_writer(*b, 1);
  ASSERT_TRUE(eventually([&] { return door_is_shut(*b); }));
  writer.kill();
  ASSERT_EQ(leave(b->lock, lock_group::shared), errc::success);
  EXPECT_EQ(enter(b->lock, lock_group::shared, capacity::one, 2, hopeful), errc::success);
}

// Behind those who stand still the queue goes on: two readers in relay, of whom one is always in,
// let a writer in only if it can shut the door.
TEST(stopped_waiter, leaves_their_turn_to_those_behind) {
  const shared<board> b;
  ASSERT_TRUE(try_enter(b->lock, lock_group::shared, capacity::one, 0));
  std::deque<child> stopped;
  for (int i = 0; i < 3; ++i) {
    stopped.push_back(waiting_writer(*b, 1 + i));
    std::this_thread::sleep_for(milliseconds(30));  // until it has drawn its ticket
    stopped.back().stop();
  }
  std::deque<child> readers;
  for (int me = 0; me < 2; ++me)
    readers.emplace_back([&b, me] {
      auto& mine = b->entries[static_cast<std::size_t>(me)];
      auto& other = b->entries[static_cast<std::size_t>(1 - me)];
      const told_watch watch;
      while (b->over == 0) {
        if (enter(b->lock, lock_group::shared, capacity::one, 5 + me, watch) != errc::success)
          return 1;
        const long seen = other.load();
        mine.fetch_add(1);
        const auto limit = steady::now() + milliseconds(50);
        while (other.load() == seen && steady::now() < limit) sched_yield();
        if (leave(b->lock, lock_group::shared) != errc::success) return 2;
      }
      return 0;
    });
  ASSERT_TRUE(eventually([&] { return b->entries[0] > 10 && b->entries[1] > 10; }));
  ASSERT_EQ(leave(b->lock, lock_group::shared), errc::success);
  EXPECT_EQ(enter(b->lock, lock_group::exclusive, capacity::one, 7, hopeful), errc::success);
  b->over = 1;
  EXPECT_EQ(leave(b->lock, lock_group::exclusive), errc::success);
  for (child& c : readers) EXPECT_EQ(c.join(), 0);
  for (child& c : stopped) c.go_on();
  for (child& c : stopped) EXPECT_EQ(c.join(), 0);
}

// Enters by either group at random until it is over, and looks around inside.
int mingle(board& b, int me, capacity c, std::uint32_t seed) {
  const told_watch watch(&b.dead);
  std::minstd_rand random(seed + static_cast<std::uint32_t>(me));
  while (b.over == 0) {
    const lock_group r = random() % 3 == 0 ? lock_group::exclusive : lock_group::shared;
    const errc e = enter(b.lock, r, c, me, watch);
    if (e == errc::peer_failed) return 0;
    if (e != errc::success) return 1;
    b.inside[static_cast<std::size_t>(me)] = true;
    auto& mine = r == lock_group::shared ? b.readers : b.writers;
    auto& theirs = r == lock_group::shared ? b.writers : b.readers;
    const int inside = mine.fetch_add(1) + 1;
    if (theirs != 0 || (r == lock_group::exclusive && c == capacity::one && inside != 1)) return 2;
    for (auto i = random() % 2000; i > 0; --i) sync::cpu_relax();
    if (theirs != 0) return 3;
    mine.fetch_sub(1);
    b.inside[static_cast<std::size_t>(me)] = false;
    if (leave(b.lock, r) != errc::success) return 4;
    b.entries[static_cast<std::size_t>(me)].fetch_add(1);
    for (auto i = random() % 500; i > 0; --i) sync::cpu_relax();
  }
  return 0;
}

// Some of those who fight for the lock are stopped, and one may be killed, wherever they are.
class crowd {
 public:
  static constexpr std::size_t ranks = 5;

  crowd(capacity c, std::uint32_t seed) : random_(seed) {
    for (std::size_t me = 0; me < ranks; ++me)
      all_.emplace_back([this, me, c, seed] { return mingle(*b_, static_cast<int>(me), c, seed); });
  }
  // Some stand still afterwards.
  void disturb(bool kill_one) {
    for (auto n = 1 + random_() % (ranks - 1); n > 0; --n) {
      std::this_thread::sleep_for(std::chrono::microseconds(random_() % 4000));
      const std::size_t victim = random_() % ranks;
      if (still_[victim]) continue;
      still_[victim] = true;
      if (!kill_one) {
        all_[victim].stop();
        continue;
      }
      all_[victim].kill();
      return;
    }
  }
  // Whether the others get in, or one of the still is in.
  bool others_get_in_unless_held() {
    const long before = entries();
    auto held_since = steady::now();
    return eventually(
        [&] {
          if (entries() > before + 2) return true;
          const auto now = steady::now();
          if (!b_->lock.occupied() || somebody_runs_inside()) held_since = now;
          return now - held_since > milliseconds(50);
        },
        seconds(6));
  }
  void go_on() {
    for (std::size_t i = 0; i < ranks; ++i)
      if (still_[i] && !all_[i].killed()) all_[i].go_on();
    still_ = {};
  }
  void end() {
    b_->over = 1;
    for (const child& c : all_)
      if (c.killed()) b_->dead = 1;  // it may have died inside
    for (child& c : all_) {
      if (c.killed()) continue;
      EXPECT_EQ(c.join(), 0);
    }
  }

 private:
  [[nodiscard]] long entries() const {
    long n = 0;
    for (std::size_t i = 0; i < ranks; ++i) n += still_[i] ? 0 : b_->entries[i].load();
    return n;
  }
  [[nodiscard]] bool somebody_runs_inside() const {
    for (std::size_t i = 0; i < ranks; ++i)
      if (!still_[i] && b_->inside[i]) return true;
    return false;
  }

  shared<board> b_;
  std::minstd_rand random_;
  std::deque<child> all_;
  std::array<bool, ranks> still_{};
};

// ORIEL_TEST_SEED repeats a run.
std::uint32_t new_seed() {
  const char* const given = std::getenv("ORIEL_TEST_SEED");
  const auto seed = given != nullptr ? static_cast<std::uint32_t>(std::strtoul(given, nullptr, 10))
                                     : std::random_device{}();
  std::printf("ORIEL_TEST_SEED=%u\n", seed);
  return seed;
}

class stopped_at_random : public ::testing::TestWithParam<capacity> {};

TEST_P(stopped_at_random, they_keep_nobody_out) {
  crowd all(GetParam(), new_seed());
  for (int turn = 0; turn < 12; ++turn) {
    all.disturb(false);
    ASSERT_TRUE(all.others_get_in_unless_held()) << "nobody is in; turn " << turn;
    all.go_on();
  }
  all.end();
}
TEST_P(stopped_at_random, nor_does_one_that_is_killed) {
  const std::uint32_t seed = new_seed();
  for (std::uint32_t i = 0; i < 4; ++i) {
    crowd all(GetParam(), seed + i * crowd::ranks);
    all.disturb(false);
    all.go_on();
    all.disturb(true);
    ASSERT_TRUE(all.others_get_in_unless_held()) << "nobody is in; crowd " << i;
    all.end();
  }
}
INSTANTIATE_TEST_SUITE_P(of_both_words, stopped_at_random,
                         ::testing::Values(capacity::one, capacity::many));

}  // namespace
}  // namespace oriel
