// Threads of one rank share an exclusive epoch: where only exclusive locks open epochs, they are
// all who access the target, and their atomics must be atomic among themselves.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promise = assertion::exclusive_lock | assertion::multi_element |
                                  assertion::user_datatype | assertion::local_load_store;
constexpr assertion_set bare = promise | assertion::remote_load_store;
constexpr std::uint64_t rounds = 500'000;
constexpr std::uint64_t runs = 20'000;
constexpr std::size_t run = 64;  // elements; long enough for plain loops, where they are right

// Keeps the compiler from making one addition of a loop of them.
void look_again() noexcept {
  asm volatile("" ::: "memory");
}

// Both threads add at once; the epoch is this rank's, on the rank after it.
template <class Window, class Add>
void add_from_two_threads(Window& w, Add add) {
  auto epoch = w.lock_exclusive(world().next());
  ASSERT_TRUE(epoch.opened().ok());
  std::atomic<int> started{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (++started; started < 2;) std::this_thread::yield();
      add(w, world().next());
    });
  for (std::thread& t : threads) t.join();
  EXPECT_TRUE(epoch.end().ok()) << w.failure();
}

template <class Window>
void expect_on_this_rank(Window& w, std::uint64_t each) {
  world().barrier().or_throw();
  auto epoch = w.lock_exclusive(world().me());
  for (const std::uint64_t x : w.local()) EXPECT_EQ(x, each);
  epoch.end().or_throw();
  world().barrier().or_throw();
}

template <class Window>
void one_element(Window& w) {
  add_from_two_threads(w, [](Window& to, rank r) {
    for (std::uint64_t i = 0; i < rounds; ++i, look_again()) to.add(r, disp{0}, 1).or_throw();
  });
  add_from_two_threads(w, [](Window& to, rank r) {
    for (std::uint64_t i = 0; i < rounds; ++i, look_again()) to.fetch_add(r, disp{0}, 1);
  });
  // A compare_swap is atomic with the additions of the other thread.
  add_from_two_threads(w, [](Window& to, rank r) {
    for (std::uint64_t i = 0; i < rounds; ++i, look_again()) {
      std::uint64_t now = 0;
      do now = to.get(r, disp{0});
      while (to.compare_swap(r, disp{0}, now, now + 1) != now);
      to.add(r, disp{0}, 1).or_throw();
    }
  });
  expect_on_this_rank(w, 8 * rounds);
}

template <class Window>
void several_elements(Window& w) {
  const std::vector<std::uint64_t> ones(run, 1);
  const shape dense{datatype::of<std::uint64_t>(), run};
  add_from_two_threads(w, [&](Window& to, rank r) {
    std::vector<std::uint64_t> before(run);
    for (std::uint64_t i = 0; i < runs; ++i) {
      to.accumulate(atomic_op::sum, r, disp{0}, std::span(ones)).or_throw();
      to.get_accumulate(atomic_op::sum, r, disp{0}, std::span(ones), std::span(before)).or_throw();
      to.accumulate(atomic_op::sum, r, disp{0}, ones.data(), dense, dense).or_throw();
      to.any()
          .accumulate(atomic_op::sum, primitive::uint64, r, disp{0}, ones.data(), run)
          .or_throw();
    }
  });
  expect_on_this_rank(w, 2 * 4 * runs);
}

TEST(SharedEpoch, LosesNoUpdateOfOneElement) {
  auto w = window<std::uint64_t>::allocate(world(), 1, promise);
  one_element(w);
}
TEST(SharedEpoch, LosesNoUpdateOfSeveralElements) {
  auto w = window<std::uint64_t>::allocate(world(), run, promise);
  several_elements(w);
}
TEST(SharedEpochOfAFixedPromise, LosesNoUpdateOfOneElement) {
  auto w = window<std::uint64_t, promise>::allocate(world(), 1);
  one_element(w);
}
TEST(SharedEpochOfAFixedPromise, LosesNoUpdateOfSeveralElements) {
  auto w = window<std::uint64_t, promise>::allocate(world(), run);
  several_elements(w);
}
TEST(SharedEpochOfABareWindow, LosesNoUpdateOfOneElement) {
  if (spans_nodes()) GTEST_SKIP() << "needs one node";
  auto w = window<std::uint64_t, bare>::allocate(world(), 1);
  one_element(w);
}
TEST(SharedEpochOfABareWindow, LosesNoUpdateOfSeveralElements) {
  if (spans_nodes()) GTEST_SKIP() << "needs one node";
  auto w = window<std::uint64_t, bare>::allocate(world(), run);
  several_elements(w);
}

TEST(SharedEpoch, IsSaidByExplain) {
  const auto w = window<std::uint64_t>::allocate(world(), 1, promise);
  EXPECT_NE(w.explain().find("threads of a rank may share"), std::string::npos) << w.explain();
}

}  // namespace
}  // namespace oriel::testing
