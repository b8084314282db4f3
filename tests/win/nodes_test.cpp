// Ranks on several nodes, two and more: what differs from one node.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

std::size_t threads_here() {
  std::size_t n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    n += entry.exists() ? 1 : 0;
  return n;
}

// A rank on another node.
rank far_rank() {
  for (int r = 0; r < ranks(); ++r)
    if (!world().on_node(rank{r})) return rank{r};
  return any_rank;
}

// Of those that have the same far rank, the one that puts to it.
bool is_first_of_node() {
  return job().node().me() == rank{0};
}

TEST(Nodes, TheWorldsCollectivesSpanThem) {
  EXPECT_LT(job().node().size(), ranks());
  EXPECT_EQ(world().allreduce(me() + 1, atomic_op::sum), ranks() * (ranks() + 1) / 2);
  EXPECT_TRUE(world().barrier().ok());
  for (int root = 0; root < ranks(); ++root) {
    int value = me();
    EXPECT_TRUE(world().broadcast(value, rank{root}).ok());
    EXPECT_EQ(value, root);
    // Longer than one message.
    std::vector<int> many(20'000, me());
    EXPECT_TRUE(world().broadcast(std::span(many), rank{root}).ok());
    EXPECT_EQ(many, std::vector<int>(20'000, root));
  }
}

TEST(Nodes, TeamsOfSomeRanksOfEach) {
  const team odd = world().split(me() % 2, -me());
  EXPECT_EQ(odd.allreduce(1, atomic_op::sum), odd.size());
  auto w = window<int, assertion::fence>::allocate(odd, 2);
  w.fence().or_throw();
  w.put(odd.next(), disp{1}, odd.me().value).or_throw();
  EXPECT_TRUE(w.fence().ok());
  EXPECT_EQ(w.get(odd.me(), disp{1}), odd.previous().value);
  w.fence().or_throw();
}

TEST(Nodes, FenceAndPscwAloneStartNoThread) {
  if (checking()) GTEST_SKIP() << "a thread serves what the checks ask";
  world().barrier().or_throw();
  const std::size_t before = threads_here();
  {
    auto w = window<int, assertion::fence | assertion::pscw | assertion::multi_element>::allocate(
        world(), 8);
    w.fence().or_throw();
    w.accumulate(atomic_op::sum, far_rank(), disp{0}, std::vector{1, 2, 3}).or_throw();
    EXPECT_TRUE(w.fence().ok());
    EXPECT_EQ(threads_here(), before);
    EXPECT_NE(w.explain().find("no thread"), std::string::npos) << w.explain();
    EXPECT_NE(w.explain().find("the owner applies CPU atomics while it waits"), std::string::npos)
        << w.explain();
  }
  // Requested by one rank, it is there on all.
  window_options options;
  options.asynchronous_progress = me() == 0;
  auto w = window<int, assertion::fence>::allocate(world(), 8, options);
  EXPECT_GT(threads_here(), before);
  EXPECT_NE(w.explain().find("one agent thread"), std::string::npos) << w.explain();
}

// No thread serves here, and none waits: the test itself makes the progress.
TEST(Nodes, TestsSeeCompletionsOfOtherNodes) {
  auto w = window<int, assertion::pscw>::allocate(world(), 1);
  const rank target{0}, origin{ranks() - 1};
  if (me() == origin.value) {
    auto access = w.start(std::span(&target, 1));
    w.put(target, disp{0}, 7).or_throw();
  } else if (me() == target.value) {
    EXPECT_TRUE(w.post(std::span(&origin, 1)).ok());
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    bool done = false;
    while (!done && std::chrono::steady_clock::now() < until) done = w.test();
    EXPECT_TRUE(done) << w.failure();
  }
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Nodes, NotificationsGoToRanksThatThereAre) {
  auto w = window<int, assertion::shared_lock | assertion::notify>::allocate(world(), 4);
  const auto epoch = w.lock_all();
  for (const int r : {ranks(), -1, 1'000'000}) {
    EXPECT_EQ(name(w.put_notify(rank{r}, disp{0}, 1, 0).code()), "rank");
    EXPECT_NE(w.failure().find("the team has ranks 0 to"), std::string::npos) << w.failure();
  }
  w.clear_failure();
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Nodes, NotificationsNeedAnEpochUnderTheChecks) {
  if (!checking()) GTEST_SKIP() << "without ORIEL_CHECK nobody looks";
  auto w = window<int, assertion::shared_lock | assertion::notify>::allocate(world(), 4);
  const rank target{0};
  if (me() == ranks() - 1) {
    EXPECT_EQ(name(w.put_notify(target, disp{0}, 1, 0).code()), "rma_sync");
    EXPECT_NE(w.failure().find("outside of any access epoch"), std::string::npos) << w.failure();
  } else if (me() == target.value) {
    EXPECT_EQ(name(w.wait_notify(0, 1).code()), "rma_sync") << w.failure();
  }
  w.clear_failure();
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Nodes, ARefusedNotificationEndsTheWaitForIt) {
  auto w = window<int, assertion::shared_lock | assertion::notify>::allocate(world(), 4);
  const auto epoch = w.lock_all();
  const rank target{0};
  if (me() == ranks() - 1) {
    EXPECT_EQ(name(w.put_notify(target, disp{4}, 1, 0).code()), "rma_range");
    EXPECT_TRUE(w.put_notify(target, disp{3}, 1, 1).ok()) << w.failure();
  } else if (me() == target.value) {
    EXPECT_EQ(name(w.wait_notify(0, 1).code()), "rma_range") << w.failure();
    EXPECT_TRUE(w.wait_notify(1, 1).ok()) << w.failure();
  }
  w.clear_failure();
  EXPECT_TRUE(world().barrier().ok());
}

TEST(Nodes, LocksAreServedByOneThread) {
  auto w = window<int, assertion::shared_lock>::allocate(world(), 8);
  EXPECT_GT(threads_here(), 1u);
  EXPECT_NE(w.explain().find("one agent thread"), std::string::npos) << w.explain();
}

TEST(Nodes, ManyRequestsAtOnce) {
  const std::size_t many = many_requests();
  auto w = window<std::uint32_t, assertion::shared_lock | assertion::multi_element>::allocate(
      world(), many);
  std::vector<std::uint32_t> sent(many), got(many);
  std::iota(sent.begin(), sent.end(), 1u);
  const rank to = far_rank();
  const bool writes = me() == 0;
  auto epoch = w.lock_all();
  std::vector<request> requests;
  if (writes)
    for (std::size_t i = 0; i < many; ++i)
      requests.push_back(w.rput(to, disp{i}, std::span(sent).subspan(i, 1)));
  EXPECT_TRUE(wait_all(requests).ok()) << w.failure();
  EXPECT_TRUE(w.flush(to).ok());
  requests.clear();
  if (writes)
    for (std::size_t i = 0; i < many; ++i)
      requests.push_back(w.rget(to, disp{i}, std::span(got).subspan(i, 1)));
  EXPECT_TRUE(wait_all(requests).ok());
  if (writes) {
    EXPECT_EQ(got, sent);
  }
  epoch.end().or_throw();
  world().barrier().or_throw();
}

TEST(Nodes, FlushOfOneTargetLeavesTheOthersAlone) {
  auto w = window<int, assertion::shared_lock>::allocate(world(), 4);
  auto epoch = w.lock_all();
  for (int r = 0; r < ranks(); ++r)
    w.put(rank{r}, disp{static_cast<std::uint64_t>(me() % 4)}, 7).or_throw();
  EXPECT_TRUE(w.flush(far_rank()).ok());
  EXPECT_EQ(w.get(far_rank(), disp{static_cast<std::uint64_t>(me() % 4)}), 7);
  EXPECT_TRUE(w.flush_all().ok());
  epoch.end().or_throw();
  world().barrier().or_throw();
}

// The owner finds the fault after the call has returned, and perhaps long before the flush.
TEST(Nodes, AFailureWaitsForTheFlush) {
  auto w = window<int, assertion::attach | assertion::shared_lock>::create(world());
  const rank to = far_rank();
  {
    const auto epoch = w.lock_all();
    EXPECT_TRUE(w.add(to, disp{100}, 1).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    world().barrier().or_throw();  // in which the answer arrives
    EXPECT_EQ(w.flush(to).code(), errc::rma_range);
    EXPECT_NE(w.failure().find("rank " + std::to_string(to.value)), std::string::npos)
        << w.failure();
    w.clear_failure();
    EXPECT_TRUE(w.flush(to).ok());
  }
  world().barrier().or_throw();
}

// What a provider does about a stray remote access is to end the connection. So it is refused where
// it starts, whatever its form, and the ranks go on.
TEST(Nodes, AccessesBeyondTheEndAreRefusedWhereTheyStart) {
  constexpr std::size_t count = 1000;
  auto w = window<std::uint64_t>::allocate(world(), me() == 0 ? 0 : count,
                                           assertion::shared_lock | assertion::multi_element |
                                               assertion::user_datatype | assertion::notify);
  const rank to = world().on_node(rank{1}) ? rank{ranks() - 1} : rank{1};
  const shape two{datatype::of<std::uint64_t>(), 2};
  const shape gap{datatype::vector(2, 1, static_cast<std::ptrdiff_t>(count), two.type), 1};
  std::vector<std::uint64_t> many(4 * count, 7);
  std::uint64_t value = 7;
  const std::span row(many);
  {
    const auto epoch = w.lock_all();
    const auto refused = [&](const char* what, status s) {
      EXPECT_EQ(s.code(), errc::rma_range) << what;
      EXPECT_NE(w.failure().find("rank " + std::to_string(to.value)), std::string::npos)
          << what << ": " << w.failure();
      w.clear_failure();
    };
    for (const disp i : {disp{count}, disp{1u << 30}, disp{~std::uint64_t{0}}}) {
      refused("put", w.put(to, i, value));
      refused("get", w.get(to, i, value));
      refused("add", w.add(to, i, 1));
      refused("fetch_add", w.fetch_op<atomic_op::sum>(to, i, 1, value));
      refused("compare_swap", w.compare_swap(to, i, 0, 1, value));
      refused("put_notify", w.put_notify(to, i, 1, 0));
    }
    refused("put of several",
            w.put(to, disp{count - 1}, std::span<const std::uint64_t>(row).first(2)));
    refused("get of several", w.get(to, disp{1}, row.first(count)));
    refused("accumulate of several", w.accumulate(atomic_op::sum, to, disp{count - 1},
                                                  std::span<const std::uint64_t>(row).first(2)));
    refused("a long put_notify", w.any().put_notify(to, disp{0}, many.data(), many.size(), 0));
    refused("typed put", w.put(to, disp{count - 1}, many.data(), two, two));
    refused("typed put with a gap", w.put(to, disp{0}, many.data(), gap, gap));
    refused("typed get", w.get(to, disp{0}, many.data(), gap, gap));
    refused("rput", w.rput(to, disp{count}, std::span<const std::uint64_t>(row).first(1)).wait());
    refused("rget", w.rget(to, disp{count}, row.first(1)).wait());
    // Rank 0 has no memory at all.
    if (!world().on_node(rank{0})) {
      EXPECT_EQ(w.put(rank{0}, disp{0}, value).code(), errc::rma_range);
      EXPECT_NE(w.failure().find("which exposes 0"), std::string::npos) << w.failure();
      w.clear_failure();
    }
    // Up to the very end, and nothing just beyond it.
    if (is_first_of_node()) {
      EXPECT_TRUE(w.put(to, disp{0}, std::span<const std::uint64_t>(row).first(count)).ok());
      EXPECT_TRUE(w.put(to, disp{count}, std::span<const std::uint64_t>()).ok());
      EXPECT_TRUE(w.flush(to).ok()) << w.failure();
      EXPECT_TRUE(w.put(to, disp{count - 2}, many.data(), two, two).ok());
      EXPECT_TRUE(w.flush(to).ok()) << w.failure();
      EXPECT_EQ(w.get(to, disp{count - 1}), 7u);
    }
  }
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(world().barrier().ok());
}

// Memory that has been detached, or was never attached, is no reason to end a connection either.
TEST(Nodes, AccessesToWhatIsNotAttachedAreRefused) {
  std::vector<std::uint64_t> memory(100);
  auto w = window<std::uint64_t>::create(
      world(), assertion::attach | assertion::shared_lock | assertion::multi_element);
  const auto mine = w.attach(memory);
  const auto places = world().allgather(mine.first.value);
  const rank to = far_rank();
  const disp place{places[static_cast<std::size_t>(to.value)]};
  const auto refused = [&](disp i) {
    if (!is_first_of_node()) return;
    auto epoch = w.lock_all();
    static_cast<void>(w.put(to, i, 1));
    EXPECT_EQ(w.flush(to).code(), errc::rma_range);
    w.clear_failure();
    std::uint64_t value = 0;
    EXPECT_EQ(w.get(to, i, value).code(), errc::rma_range);
    EXPECT_EQ(epoch.end().code(), errc::rma_range);
    w.clear_failure();
  };
  refused(disp{place.value + 100});
  if (is_first_of_node()) {
    const auto epoch = w.lock_all();
    EXPECT_TRUE(w.put(to, disp{place.value + 99}, 5).ok());
    EXPECT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_EQ(w.get(to, disp{place.value + 99}), 5u);
  }
  world().barrier().or_throw();
  EXPECT_TRUE(w.detach(mine.handle).ok());
  world().barrier().or_throw();
  refused(place);
  EXPECT_TRUE(world().barrier().ok());
}

// Near ranks by instructions, far ranks through the owner: one counter.
TEST(Nodes, AtomicsOfAllRanksShareOneDomain) {
  constexpr int turns = 300;
  auto w = window<std::uint64_t, assertion::shared_lock | assertion::local_load_store>::allocate(
      world(), 1);
  auto d = window<double, assertion::shared_lock>::allocate(world(), 1);
  {
    const auto epoch = w.lock_all();
    const auto other = d.lock_all();
    for (int i = 0; i < turns; ++i)
      for (int r = 0; r < ranks(); ++r) {
        w.fetch_add(rank{r}, disp{0}, 1);
        d.accumulate<atomic_op::sum>(rank{r}, disp{0}, 1.0).or_throw();
      }
  }
  world().barrier().or_throw();
  auto epoch = w.lock_all();
  auto other = d.lock_all();
  EXPECT_EQ(w.get(world().me(), disp{0}), static_cast<std::uint64_t>(turns * ranks()));
  EXPECT_EQ(d.get(far_rank(), disp{0}), turns * ranks());
  epoch.end().or_throw();
  other.end().or_throw();
  world().barrier().or_throw();
}

// Every other rank computes, without a call, until rank 0 is done, which takes it less than that.
TEST(Nodes, TargetsServeWhileTheyCompute) {
  using namespace std::chrono_literals;
  constexpr auto computing = 3s;
  auto locked = window<std::uint64_t, assertion::exclusive_lock | assertion::shared_lock |
                                          assertion::notify>::allocate(world(), 4);
  std::vector<std::uint64_t> memory(4, 5);
  auto dynamic = window<std::uint64_t>::create(world(), assertion::attach | assertion::shared_lock);
  dynamic.attach(std::span(memory));
  world().barrier().or_throw();
  const auto start = std::chrono::steady_clock::now();
  if (me() != 0) {
    volatile std::uint64_t sum = 0;
    const std::atomic_ref done(memory[3]);
    while (done.load() == 5 && std::chrono::steady_clock::now() - start < computing) sum = sum + 1;
  } else {
    const rank to = far_rank();
    for (std::uint64_t i = 0; i < 20; ++i) {
      {
        const auto epoch = locked.lock_exclusive(to);
        EXPECT_TRUE(epoch.opened().ok()) << locked.failure();
        locked.put(to, disp{0}, i).or_throw();
        locked.fetch_add(to, disp{1}, 1);
        locked.accumulate<atomic_op::max>(to, disp{3}, i).or_throw();
        EXPECT_EQ(locked.compare_swap(to, disp{2}, i, i + 1), i);
        EXPECT_TRUE(locked.flush(to).ok());
        EXPECT_EQ(locked.get(to, disp{0}), i);
        EXPECT_TRUE(locked.put_notify(to, disp{0}, i, 0).ok()) << locked.failure();
      }
      const auto epoch = dynamic.lock_all();
      EXPECT_EQ(dynamic.fetch_add(to, disp{1}, 1), 5 + i);
      EXPECT_EQ(dynamic.get(to, disp{0}), 5u);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, computing - 500ms);
    const auto epoch = dynamic.lock_all();
    for (int r = 1; r < ranks(); ++r) EXPECT_EQ(dynamic.fetch_add(rank{r}, disp{3}, 1), 5u);
  }
  world().barrier().or_throw();
  // Exactly one rank was the target.
  EXPECT_EQ(locked.notified(0), memory[1] == 25 ? 20u : 0u);
  EXPECT_EQ(world().allreduce(locked.notified(0), atomic_op::sum), 20u);
  world().barrier().or_throw();
}

TEST(Nodes, ExplainNamesTheFabricAndWhatItFound) {
  auto w = window<int>::allocate(world(), 4, assertion::fence | assertion::node_load_store);
  const std::string text = w.explain();
  EXPECT_TRUE(text.find("fabric to rank") != std::string::npos ||
              text.find("owner_message to rank") != std::string::npos)
      << text;
  EXPECT_NE(text.find("puts are made complete by"), std::string::npos) << text;
  EXPECT_NE(text.find("owner"), std::string::npos) << text;
}

}  // namespace
}  // namespace oriel::testing
