// The ring between device threads and the host's agent: full, wrapped around, failing, and crowded.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/device/ring_world.hpp"

namespace oriel {
namespace {

using namespace oriel::testing;
using namespace std::chrono_literals;

TEST(ring, serves_nothing_when_nothing_is_asked) {
  ring_world<int> world;
  EXPECT_FALSE(world.server.serve_pending());
  EXPECT_EQ(world.remote.served + world.remote.completed, 0);
}

TEST(ring, carries_small_sources_in_the_slot) {
  ring_world<int> world;
  const auto view = world.view();
  {
    int source[16];
    std::fill_n(source, 16, 5);
    view.put(scope::block{}, far, disp{4}, source, 16);  // returns: nobody serves yet
    std::fill_n(source, 16, 6);
  }
  EXPECT_TRUE(world.server.serve_pending());
  EXPECT_EQ(world.remote.completed, 0) << "nobody waits for the put";
  world.remote.complete();
  EXPECT_EQ(std::count(world.memory[2], world.memory[2] + 256, 5), 16);
}

// More requests than slots, before anybody serves: the holders of later tickets wait, and all get
// through in the order of tickets.
TEST(ring, lets_a_full_ring_drain_in_order) {
  for (const std::uint32_t log2_slots : {0u, 1u, 3u}) {
    ring_world<int> world(log2_slots);
    std::atomic<int> returned{0};
    std::thread writer([&, view = world.view()] {
      for (int i = 1; i <= 40; ++i) {
        view.put(far, disp{static_cast<std::uint64_t>(i)}, i);
        view.put(far, disp{0}, i);
        returned.fetch_add(2);
      }
      EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
    });
    const int slots = 1 << log2_slots;
    while (returned.load() < slots / 2 * 2) std::this_thread::yield();
    std::this_thread::sleep_for(5ms);
    EXPECT_LE(returned.load(), slots) << "a put returned that has no slot";
    world.start();
    writer.join();
    world.stop();
    EXPECT_EQ(world.memory[2][0], 40) << "the last ticket was not served last";
    for (int i = 1; i <= 40; ++i) EXPECT_EQ(world.memory[2][i], i);
  }
}

TEST(ring, completes_once_for_all_who_wait) {
  ring_world<int> world;
  std::vector<std::thread> readers;
  world.memory[2][7] = 70;
  for (int t = 0; t < 4; ++t)
    readers.emplace_back([view = world.view()] { EXPECT_EQ(view.get(far, disp{7}), 70); });
  std::this_thread::sleep_for(20ms);
  int calls = 0;
  while (world.remote.served < 4) calls += world.server.serve_pending() ? 1 : 0;
  for (std::thread& r : readers) r.join();
  EXPECT_EQ(world.remote.completed, calls);
  EXPECT_LE(calls, 4);
  // quiet needs no more when nothing was requested since.
  world.start();
  EXPECT_EQ(world.view().quiet(scope::thread{}), errc::success);
  world.stop();
  EXPECT_EQ(world.remote.completed, calls);
}

TEST(ring, fences_without_waiting) {
  ring_world<int> world;
  const auto view = world.view();
  view.put(far, disp{1}, 11);
  view.fence(scope::block{});
  view.put(far, disp{2}, 22);  // all three returned, though nobody serves
  EXPECT_TRUE(world.server.serve_pending());
  EXPECT_EQ(world.remote.completed, 1);
  EXPECT_EQ(world.memory[2][1], 11);
  EXPECT_EQ(world.memory[2][2], 0) << "what comes after the fence is only begun";
}

// Nobody serves: what waits for the host would not return.
TEST(ring, is_left_alone_when_nothing_is_out) {
  ring_world<int> world;
  const auto view = world.view();
  view.put(near, disp{1}, 11);
  view.fence(scope::thread{});
  EXPECT_EQ(view.quiet(scope::block{}), errc::success);
  EXPECT_FALSE(world.server.serve_pending());
  world.start();
  view.put(far, disp{1}, 11);
  EXPECT_EQ(view.quiet(scope::block{}), errc::success);
  EXPECT_EQ(world.memory[2][1], 11);
  world.stop();
  view.fence(scope::thread{});
  EXPECT_EQ(view.quiet(scope::block{}), errc::success);
  EXPECT_FALSE(world.server.serve_pending());
}

TEST(ring, is_asked_for_what_was_begun_and_is_not_complete) {
  ring_world<int> world;
  const auto view = world.view();
  view.put(far, disp{1}, 11);
  EXPECT_TRUE(world.server.serve_pending());
  view.fence(scope::thread{});
  EXPECT_TRUE(world.server.serve_pending());
  EXPECT_EQ(world.memory[2][1], 11);
}

// The processor adds to every counter: a device's updates of the host's memory and a processor's
// are not atomic with each other, and the processor wakes who waits. It moves no elements that the
// device reaches.
TEST(ring, carries_notifications_of_ranks_that_are_direct) {
  ring_world<int> world;
  const auto view = world.view();
  const int row[] = {1, 2, 3};
  for (const oriel::rank r : {me, near}) {
    view.put_notify(scope::block{}, r, disp{5}, row, 3, 1);
    EXPECT_EQ(world.memory[r.value][7], 3);
    EXPECT_EQ(world.notified[r.value][detail::counter_stride], 0u);
    EXPECT_TRUE(world.server.serve_pending());
    EXPECT_EQ(world.notified[r.value][detail::counter_stride], 1u);
  }
  EXPECT_EQ(view.failure(), errc::success);
}

// A wait ends with the reason when the refused ones would have made up what it waits for.
TEST(ring, ends_a_wait_for_what_was_refused) {
  ring_world<int> world;
  const auto view = world.view();
  std::uint64_t* const counter = world.notified[0] + 2 * detail::counter_stride;
  counter[0] = 3;
  counter[detail::counter_why] = static_cast<std::uint64_t>(errc::rma_range);
  counter[detail::counter_refused] = 2;
  EXPECT_EQ(view.wait_notify(scope::block{}, 2, 3), errc::success);
  EXPECT_EQ(view.wait_notify(scope::thread{}, 2, 4), errc::rma_range);
  EXPECT_EQ(view.wait_notify(scope::block{}, 2, 5), errc::rma_range);
  world.server.close();
  EXPECT_EQ(view.wait_notify(scope::block{}, 2, 6), errc::peer_failed);
}

TEST(ring, keeps_the_first_failure_and_gives_zeros) {
  ring_world<int> world;
  const auto view = world.view();
  std::fill_n(world.memory[2], 256, 9);
  world.remote.refusing = errc::rma_range;
  world.start();
  int several[16];
  std::fill_n(several, 16, 3);
  EXPECT_EQ(view.fetch_add(far, disp{0}, 4), 0);
  EXPECT_EQ(view.compare_swap(far, disp{0}, 9, 4), 0);
  view.get(scope::block{}, far, disp{0}, several, 16);
  EXPECT_EQ(std::count(several, several + 16, 0), 16);
  EXPECT_EQ(view.quiet(scope::thread{}), errc::rma_range);
  world.stop();
  EXPECT_EQ(world.memory[2][0], 9);
  EXPECT_EQ(view.failure(), errc::rma_range);
}

TEST(ring, gives_zeros_when_completing_fails) {
  ring_world<int> world;
  std::fill_n(world.memory[2], 256, 9);
  world.remote.fail_completion = errc::peer_failed;
  world.start();
  const auto view = world.view();
  EXPECT_EQ(view.get(far, disp{0}), 0);
  world.remote.refusing = errc::rma_range;
  EXPECT_EQ(view.fetch_add(far, disp{0}, 4), 0);
  EXPECT_EQ(view.failure(), errc::peer_failed) << "the first failure is the one that is kept";
}

TEST(ring, lets_holders_go_when_it_is_closed) {
  ring_world<int> world(1);
  std::vector<std::thread> stuck;
  for (int t = 0; t < 4; ++t)
    stuck.emplace_back([view = world.view()] {
      for (int i = 0; i < 10; ++i) view.put(far, disp{0}, i);
      EXPECT_EQ(view.quiet(scope::block{}), errc::peer_failed);
    });
  std::this_thread::sleep_for(5ms);
  world.server.close();
  for (std::thread& t : stuck) t.join();
}

detail::kernel_request asked(detail::kernel_action action, std::uint64_t n, std::uint32_t bytes) {
  detail::kernel_request r;
  r.action = action;
  r.type = primitive::int32;
  r.op = atomic_op::sum;
  r.answered = 1;
  r.target = far.value;
  r.n = n;
  r.element_bytes = bytes;
  return r;
}

// Requests without a source or a sink, whose elements do not fit in the slot: the server would read
// or overwrite what other requests have there.
TEST(ring, refuses_what_does_not_fit_in_a_slot) {
  using enum detail::kernel_action;
  const std::uint64_t overflowing = (std::uint64_t{1} << 62) + 1;  // times 4 is 4
  for (const auto& request :
       {asked(put, 17, 4), asked(put, overflowing, 4), asked(get, 17, 4),
        asked(get, overflowing, 4), asked(accumulate, 17, 4), asked(put_notify, 17, 4),
        asked(fetch_op, 2, 4), asked(fetch_op, 1, 33), asked(compare_swap, 2, 4),
        asked(compare_swap, 1, 17)}) {
    ring_world<int> world;
    std::fill_n(world.memory[2], 256, 9);
    world.slot(0).request = request;
    world.slot(0).turn = detail::turn_of(0, detail::slot_state::filled);
    std::memset(world.slot(1).inlined, 0x55, sizeof world.slot(1).inlined);
    const detail::kernel_slot neighbour = world.slot(1);
    EXPECT_TRUE(world.server.serve_pending());
    EXPECT_EQ(world.remote.served, 0) << "action " << static_cast<int>(request.action);
    ASSERT_EQ(world.remote.refused.size(), 1u);
    EXPECT_EQ(world.remote.refused[0], std::pair(request.action, errc::arg));
    EXPECT_EQ(std::memcmp(&neighbour, &world.slot(1), sizeof neighbour), 0);
    EXPECT_EQ(world.view().failure(), errc::arg);
    EXPECT_EQ(world.slot(0).turn, detail::turn_of(0, detail::slot_state::answered));
    EXPECT_EQ(std::count(world.memory[2], world.memory[2] + 256, 9), 256);
  }
}

TEST(ring, serves_what_just_fits_in_a_slot) {
  using enum detail::kernel_action;
  for (const auto& request :
       {asked(put, 16, 4), asked(put, 0, 4), asked(get, 16, 4), asked(accumulate, 16, 4),
        asked(fetch_op, 1, 4), asked(compare_swap, 1, 4)}) {
    ring_world<int> world;
    world.slot(0).request = request;
    world.slot(0).turn = detail::turn_of(0, detail::slot_state::filled);
    EXPECT_TRUE(world.server.serve_pending());
    EXPECT_EQ(world.remote.served, 1);
    EXPECT_EQ(world.view().failure(), errc::success);
  }
}

// Threads with every kind of request on a small ring, several times around.
TEST(ring, serves_a_crowd) {
  constexpr int threads = 6, rounds = 300;
  ring_world<std::uint64_t> world(2);
  world.start();
  std::vector<std::vector<std::uint64_t>> tickets(threads);
  std::vector<std::thread> crowd;
  for (int t = 0; t < threads; ++t)
    crowd.emplace_back([&, t, view = world.view()] {
      const disp mine{static_cast<std::uint64_t>(10 + t * 20)};
      std::uint64_t row[20], back[20];
      for (int i = 0; i < rounds; ++i) {
        tickets[static_cast<std::size_t>(t)].push_back(view.fetch_add(far, disp{0}, 1));
        std::iota(row, row + 20, static_cast<std::uint64_t>(i + t * 1000));
        view.put(scope::block{}, far, mine, row, 20);
        view.fence(scope::warp{});
        view.put(far, mine, std::uint64_t{77});
        view.accumulate<atomic_op::sum>(far, disp{1}, 2);
        view.fence(scope::thread{});
        EXPECT_EQ(view.get(far, mine), 77u);
        view.get(scope::warp{}, far, mine, back, 20);
        EXPECT_TRUE(std::equal(row + 1, row + 20, back + 1));
        view.put_notify(far, disp{200}, 1, 3);
      }
      EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
    });
  for (std::thread& t : crowd) t.join();
  world.stop();
  std::vector<std::uint64_t> all;
  for (const auto& of_one : tickets) {
    EXPECT_TRUE(std::is_sorted(of_one.begin(), of_one.end()));
    all.insert(all.end(), of_one.begin(), of_one.end());
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], i);
  EXPECT_EQ(world.memory[2][0], std::uint64_t{threads * rounds});
  EXPECT_EQ(world.memory[2][1], std::uint64_t{2 * threads * rounds});
  EXPECT_EQ(world.notified[2][3 * detail::counter_stride], std::uint64_t{threads * rounds});
}

}  // namespace
}  // namespace oriel
