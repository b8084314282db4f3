// Windows from inside kernels: device code, compiled for the host, on what a real window gives it,
// with the test driver's memory, the poller and the ring behind it.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "kinds/device_runtime.hpp"
#include "oriel/device.cuh"
#include "tests/drivers/ledger_reader.hpp"
#include "tests/support/device_kernel.hpp"
#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element | assertion::notify;
constexpr std::size_t count = 600;

template <class T>
window<T> a_window(made how) {
  window_options options;
  options.memory_kind = kind_of(how);
  return window<T>::allocate(world(), count, promise, options);
}

// A put_notify whose elements are neither in its slot nor anywhere else.
void ring_by_hand(const detail::device_view& raw, rank target, std::uint32_t counter) {
  detail::device::ring_call call;
  call.request.action = detail::kernel_action::put_notify;
  call.request.target = target.value;
  call.request.n = 100;
  call.request.element_bytes = sizeof(int);
  call.request.counter = counter;
  EXPECT_TRUE(detail::device::submit(raw.ring, raw.state, call));
}

class Kernels : public ::testing::TestWithParam<made> {};

TEST_P(Kernels, PutAndGetAtEveryRank) {
  auto w = a_window<int>(GetParam());
  const window_view<int> view(w.kernel_view());
  const auto mine = static_cast<std::uint64_t>(me());
  std::vector<int> row(100), back(100 * static_cast<std::size_t>(ranks()));
  for (int i = 0; i < 100; ++i) row[static_cast<std::size_t>(i)] = 1000 * me() + i;
  auto epoch = w.lock_all();
  as_kernel([&] {
    EXPECT_EQ(view.rank(), world().me());
    EXPECT_EQ(view.ranks(), ranks());
    for (int r = 0; r < ranks(); ++r) {
      EXPECT_EQ(view.count(rank{r}), count);
      view.put(rank{r}, disp{mine}, me());
      view.put(scope::block{}, rank{r}, disp{100 + 100 * mine}, row.data(), row.size());
    }
    EXPECT_EQ(view.quiet(scope::block{}), errc::success);
  });
  ASSERT_TRUE(world().barrier().ok());
  as_kernel([&] {
    for (int r = 0; r < ranks(); ++r) {
      const auto from = static_cast<std::uint64_t>(r);
      const rank target{(me() + r) % ranks()};
      EXPECT_EQ(view.get(target, disp{from}), r);
      view.get_nbi(scope::warp{}, target, disp{100 + 100 * from}, back.data() + 100 * r, 100);
    }
    EXPECT_EQ(view.quiet(scope::warp{}), errc::success);
  });
  for (int r = 0; r < ranks(); ++r)
    for (int i = 0; i < 100; ++i)
      EXPECT_EQ(back[static_cast<std::size_t>(100 * r + i)], 1000 * r + i);
  // The host sees the same.
  EXPECT_EQ(w.get(world().next(), disp{100 + 100 * mine + 7}), 1000 * me() + 7);
  EXPECT_EQ(w.failure(), "");
}

TEST_P(Kernels, AtomicsOfKernelsAndHostsAreOneDomain) {
  constexpr int rounds = 200;
  auto w = a_window<std::int64_t>(GetParam());
  const window_view<std::int64_t> view(w.kernel_view());
  auto epoch = w.lock_all();
  as_kernel([&] {
    for (int i = 0; i < rounds; ++i)
      for (int r = 0; r < ranks(); ++r) {
        view.fetch_add(rank{r}, disp{0}, 1);
        w.fetch_add(rank{r}, disp{0}, 1);
        view.accumulate<atomic_op::max>(rank{r}, disp{1}, std::int64_t{me() * rounds + i});
      }
    EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
  });
  EXPECT_TRUE(w.flush_all().ok());
  ASSERT_TRUE(world().barrier().ok());
  for (int r = 0; r < ranks(); ++r) {
    EXPECT_EQ(w.get(rank{r}, disp{0}), 2 * rounds * ranks());
    EXPECT_EQ(w.get(rank{r}, disp{1}), ranks() * rounds - 1);
  }
  // Each rank's turn comes once, by compare_swap.
  as_kernel([&] {
    for (int tries = 0; tries < 1'000'000; ++tries)
      if (view.compare_swap(rank{0}, disp{2}, std::int64_t{me()}, std::int64_t{me() + 1}) == me())
        return;
    ADD_FAILURE() << "its turn never came";
  });
  ASSERT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.get(rank{0}, disp{2}), ranks());
  EXPECT_EQ(w.failure(), "");
}

TEST_P(Kernels, NotificationsReachKernelsAndHosts) {
  auto w = a_window<int>(GetParam());
  const window_view<int> view(w.kernel_view());
  const rank next = world().next(), previous = world().previous();
  std::vector<int> row(50, 40 + me());
  auto epoch = w.lock_all();
  as_kernel([&] {
    view.put_notify(scope::block{}, next, disp{0}, row.data(), row.size(), 0);
    EXPECT_EQ(view.wait_notify(scope::block{}, 0, 1), errc::success);
    EXPECT_EQ(view.get(world().me(), disp{49}), 40 + previous.value);
    view.put_notify(next, disp{100}, 90 + me(), 1);
  });
  ASSERT_TRUE(w.wait_notify(1, 1).ok());
  EXPECT_EQ(w.get(world().me(), disp{100}), 90 + previous.value);
  EXPECT_TRUE(w.put_notify(next, disp{101}, 5, 2).ok());
  as_kernel([&] {
    EXPECT_EQ(view.wait_notify(scope::thread{}, 2, 1), errc::success);
    EXPECT_EQ(view.get(world().me(), disp{101}), 5);
  });
  ASSERT_TRUE(world().barrier().ok());
}

// Processors add to the same counter, and the host sleeps until it is woken.
TEST_P(Kernels, NotifyingTheirOwnRankWakesItsHost) {
  auto w = a_window<int>(GetParam());
  const window_view<int> view(w.kernel_view());
  auto epoch = w.lock_all();
  std::thread host([&] { EXPECT_TRUE(w.wait_notify(0, 1, std::chrono::seconds(20)).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  as_kernel([&] { view.put_notify(world().me(), disp{3}, 33, 0); });
  host.join();
  EXPECT_EQ(w.get(world().me(), disp{3}), 33);
  ASSERT_TRUE(world().barrier().ok());
}

TEST_P(Kernels, WhatTheyAskWronglyIsRefused) {
  auto w = a_window<int>(GetParam());
  const detail::device_view raw = w.kernel_view();
  const window_view<int> view(raw);
  const window_view<double> other(raw);
  const rank far = world().next();
  auto epoch = w.lock_all();
  as_kernel([&] {
    if (view.direct(far) != nullptr) return;  // a store, which nobody checks
    view.put(far, disp{count}, 1);
    EXPECT_EQ(view.quiet(scope::thread{}), errc::rma_range);
    EXPECT_EQ(view.failure(), errc::rma_range);
    other.put(far, disp{0}, 1.0);
    EXPECT_EQ(other.quiet(scope::thread{}), errc::rma_range) << "the first failure is kept";
  });
  ASSERT_TRUE(world().barrier().ok());
}

// A kernel that has ended without quiet left requests behind, which the host's flush covers.
TEST_P(Kernels, TheHostsFlushCoversWhatKernelsHavePut) {
  auto w = a_window<int>(GetParam());
  const window_view<int> view(w.kernel_view());
  const auto mine = static_cast<std::uint64_t>(me());
  for (int round = 1; round <= 20; ++round) {
    auto epoch = w.lock_all();
    as_kernel([&] {
      for (std::uint64_t i = 0; i < 100; ++i)
        for (int r = 0; r < ranks(); ++r)
          view.put(rank{r}, disp{100 * mine + i}, 1000 * round + static_cast<int>(i));
    });
    EXPECT_TRUE((round % 2 == 0 ? w.flush_all() : epoch.end()).ok()) << w.failure();
    ASSERT_TRUE(world().barrier().ok());
    as_kernel([&] {
      int wrong = 0;
      for (int r = 0; r < ranks(); ++r)
        for (int i = 0; i < 100; ++i)
          wrong += view.local()[100 * r + i] == 1000 * round + i ? 0 : 1;
      EXPECT_EQ(wrong, 0) << "elements, in round " << round;
    });
    ASSERT_TRUE(world().barrier().ok());
  }
}

// Hosts and kernels share no epoch.
TEST_P(Kernels, NeedNoEpochOfTheirHost) {
  auto w = a_window<int>(GetParam());
  const window_view<int> view(w.kernel_view());
  const rank next = world().next();
  as_kernel([&] {
    view.put(next, disp{7}, 70 + me());
    view.fetch_add(next, disp{8}, 5);
    EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
    view.put_notify(next, disp{9}, 90 + me(), 4);
    EXPECT_EQ(view.wait_notify(scope::thread{}, 4, 1), errc::success);
    EXPECT_EQ(view.get(world().me(), disp{7}), 70 + world().previous().value);
    EXPECT_EQ(view.get(world().me(), disp{8}), 5);
    EXPECT_EQ(view.get(world().me(), disp{9}), 90 + world().previous().value);
  });
  ASSERT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.failure(), "");
}

// What is refused to the kernel that notifies ends the waits of its target's host and kernels.
TEST_P(Kernels, ARefusedNotificationEndsTheWaitForIt) {
  using namespace std::chrono_literals;
  constexpr auto patience = 10s;
  auto w = a_window<int>(GetParam());
  const detail::device_view raw = w.kernel_view();
  const window_view<int> view(raw);
  const window_view<double> other(raw);
  const rank next = world().next();
  const std::vector<int> row(count + 1);
  bool host_moves = false;
  auto epoch = w.lock_all();
  as_kernel([&] {
    host_moves = view.direct(world().previous()) == nullptr;
    // Elements that it does not expose, where the host moves them; and of another type.
    if (view.direct(next) == nullptr)
      view.put_notify(scope::block{}, next, disp{0}, row.data(), row.size(), 0);
    other.put_notify(scope::block{}, next, disp{0}, nullptr, 0, 1);
    ring_by_hand(raw, next, 2);
    EXPECT_NE(view.quiet(scope::thread{}), errc::success);
  });
  // The origin's host learns of it too.
  EXPECT_FALSE(w.flush_all().ok());
  EXPECT_NE(w.failure().find("put_notify"), std::string::npos) << w.failure();
  ASSERT_TRUE(world().barrier().ok());
  w.clear_failure();
  if (host_moves) {
    ASSERT_EQ(w.wait_notify(0, 1, patience).code(), errc::rma_range);
  }
  ASSERT_EQ(w.wait_notify(1, 1, patience).code(), errc::type);
  ASSERT_EQ(w.wait_notify(2, 1, patience).code(), errc::arg);
  as_kernel([&] {
    EXPECT_EQ(view.wait_notify(scope::block{}, 1, 1), errc::type);
    EXPECT_EQ(view.wait_notify(scope::block{}, 2, 1), errc::arg);
  });
  ASSERT_TRUE(world().barrier().ok());
}

// What the drivers say of links decides whose atomics kernels may do themselves.
TEST_P(Kernels, DoAtomicsThemselvesWhereLinksHaveThem) {
  const char* const given = std::getenv("ORIEL_TEST_REFUSE");
  const std::string refused = given == nullptr ? "" : given;
  const bool on_host = GetParam() == made::pinned;
  const bool hidden = !on_host && std::getenv("ORIEL_TEST_FIRST_DEVICE") != nullptr;
  const bool linked =
      !hidden && refused.find(on_host ? "host_atomics" : "peer_atomics") == std::string::npos;
  auto w = a_window<std::int64_t>(GetParam());
  const detail::device_view raw = w.kernel_view();
  int wrong = 0, unlinked = 0;
  as_kernel([&] {
    for (int r = 0; r < ranks(); ++r) {
      const auto& peer = raw.peers[r];
      // Ranks take the two devices in turn.
      const bool same = !on_host && (hidden ? r == me() : r % 2 == me() % 2);
      const bool own = linked || same;
      wrong += peer.atomics == (own ? peer.memory : nullptr) ? 0 : 1;
      unlinked += peer.memory != nullptr && !own ? 1 : 0;
    }
  });
  EXPECT_EQ(wrong, 0);
  int reasons = 0;
  for (int r = 0; r < ranks(); ++r) reasons += w.any().lacks_kernel_atomics(rank{r}) != "" ? 1 : 0;
  EXPECT_EQ(reasons, unlinked) << w.explain();
  const char* const reason = hidden ? "does not see" : "native atomics over the link";
  EXPECT_EQ(w.explain().find(reason) != std::string::npos, unlinked != 0) << w.explain();
  ASSERT_TRUE(world().barrier().ok());
}

INSTANTIATE_TEST_SUITE_P(On, Kernels, ::testing::Values(made::device, made::managed, made::pinned));

// Whichever way they go.
TEST(KernelView, SingleElementsNeedNoAssertion) {
  for (const made how : {made::device, made::managed, made::pinned}) {
    window_options options;
    options.memory_kind = kind_of(how);
    auto w = window<std::int64_t, assertion::shared_lock>::allocate(world(), 4, options);
    const window_view<std::int64_t> view(w.kernel_view());
    const rank other = world().next();
    auto epoch = w.lock_all();
    as_kernel([&] {
      view.put(other, disp{0}, 7);
      EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
      EXPECT_EQ(view.get(other, disp{0}), 7);
      view.accumulate<atomic_op::sum>(other, disp{0}, 3);
      EXPECT_EQ(view.fetch_add(other, disp{0}, 1), 10);
      EXPECT_EQ(view.compare_swap(other, disp{0}, 11, 12), 11);
      EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
    });
    EXPECT_EQ(w.get(other, disp{0}), 12) << w.failure();
    ASSERT_TRUE(world().barrier().ok());
  }
}

// How often this process has allocated pinned memory.
std::size_t pinned_allocations() {
  const char* const prefix = std::getenv("ORIEL_TEST_LEDGER");
  if (prefix == nullptr) return 0;
  return test_driver::calls(test_driver::read_ledger(prefix + ("." + std::to_string(getpid()))),
                            "cuMemHostAlloc");
}

// An allocation waits for the kernels that run, and they for what is allocated.
TEST(KernelView, WhatIsServedToAKernelAllocatesNoPinnedMemory) {
  constexpr std::size_t elements = 40000;  // to another node in pieces
  window_options options;
  options.memory_kind = kind_of(made::device);
  auto w = window<int>::allocate(world(), elements, promise, options);
  const window_view<int> view(w.kernel_view());
  const auto row = job().alloc_mem(elements * sizeof(int), "cuda:device");
  auto epoch = w.lock_all();
  const std::size_t before = pinned_allocations();
  EXPECT_GT(before, 0u) << "started without oriel-check-ledger";
  as_kernel([&] {
    const auto* const from = reinterpret_cast<const int*>(row.data());
    view.put(scope::block{}, rank{ranks() - 1 - me()}, disp{0}, from, elements);
    EXPECT_EQ(view.quiet(scope::block{}), errc::success);
  });
  EXPECT_EQ(pinned_allocations(), before);
  ASSERT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.failure(), "");
  job().free_mem(row).or_throw();
}

// Ranks take devices in turn; one that is named is used, and no other.
TEST(KernelView, UsesTheDeviceOfTheWindowAlone) {
  kinds::device_runtime& runtime = *kinds::runtime(kinds::vendor::cuda);
  const int others = (job().node().me().value + 1) % runtime.devices();
  for (const made how : {made::pinned, made::device, made::managed}) {
    window_options options;
    options.memory_kind = kind_of(how);
    auto turn = window<int>::allocate(world(), count, promise, options);
    EXPECT_EQ(runtime.classify(turn.kernel_view().peers)->device, 1 - others) << kind_of(how);
    options.hints.set("oriel_device", std::to_string(others));
    auto named = window<int>::allocate(world(), count, promise, options);
    EXPECT_EQ(runtime.classify(named.kernel_view().peers)->device, others) << kind_of(how);
  }
}

TEST(KernelView, NeedsMemoryThatDevicesReach) {
  auto w = window<int>::allocate(world(), 10, promise);
  const thrown t = catch_error([&] { (void)w.kernel_view(); });
  EXPECT_EQ(t.code, errc::unsupported_kind) << t.text;
  EXPECT_NE(t.text.find("memory_kind"), std::string::npos) << t.text;
}

TEST(KernelView, NeedsBuffersInDeviceMemoryToBeAllowed) {
  window_options options;
  options.memory_kind = kind_of(made::device);
  options.hints.set("mpi_assert_memory_alloc_kinds", "mpi,system");
  auto w = window<int>::allocate(world(), 10, promise, options);
  const thrown t = catch_error([&] { (void)w.kernel_view(); });
  EXPECT_EQ(t.code, errc::info) << t.text;
}

}  // namespace
}  // namespace oriel::testing
