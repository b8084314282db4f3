// What a window counts of single elements where threads take turns (thread_level::serialized).
#include <thread>

#include "tests/win/statistics/single_elements.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promise = assertion::shared_lock | assertion::notify;

TEST(StatisticsInTurn, AreExactForThreadsAfterEachOther) {
  session_options serialized;
  serialized.threads = thread_level::serialized;
  session job(serialized);
  const team world = job.world();
  const rank me = world.me();
  auto w = window<std::uint64_t>::allocate(world, 64, promise);
  constexpr std::uint64_t threads = 6, each = 100;
  {
    auto epoch = w.lock_all();
    for (std::uint64_t t = 0; t < threads; ++t)
      std::thread([&w, &world, me, t] { do_singles(w, me, world.next(), t, each); }).join();
    do_singles(w, me, world.next(), threads, each);
    ASSERT_TRUE(w.flush_all().ok());
  }
  expect_singles(w.statistics(), (threads + 1) * each, world.size() == 1);
  ASSERT_TRUE(world.barrier().ok());
}

// What it brings is put by the slot that counts puts, in whichever thread's tallies those are.
TEST(StatisticsInTurn, CountANotifiedPutOfAnElementOnce) {
  session_options serialized;
  serialized.threads = thread_level::serialized;
  session job(serialized);
  const team world = job.world();
  auto w = window<std::uint64_t>::allocate(world, 64, promise);
  {
    auto epoch = w.lock_all();
    ASSERT_TRUE(w.put(world.me(), disp{0}, 1).ok());
    for (int t = 0; t < 3; ++t)
      std::thread([&] { ASSERT_TRUE(w.put_notify(world.me(), disp{0}, 1, 0).ok()); }).join();
    ASSERT_TRUE(w.put_notify(world.me(), disp{0}, 1, 0).ok());
    ASSERT_TRUE(w.wait_notify(0, 4).ok());
  }
  EXPECT_EQ(w.statistics().of(operation_kind::put).operations, 1u);
  EXPECT_EQ(w.statistics().of(operation_kind::put_notify).operations, 4u);
  ASSERT_TRUE(world.barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
