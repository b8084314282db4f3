// Accumulates under an exclusive lock, in a process whose threads are not in oriel at once: plain
// loops, whose sums must be as exact as those of the atomics around them.
#include <vector>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

session_options one_thread() {
  session_options options;
  options.threads = thread_level::single;
  return options;
}

// Every rank adds under exclusive locks, which alone open epochs: plain arithmetic, and exact.
template <class Window>
void expect_exact_sums(const team& world, Window w) {
  constexpr std::uint64_t rounds = 500;
  const std::vector<std::uint64_t> ones(64, 1);
  std::vector<std::uint64_t> before(64);
  const rank zero{0};
  for (std::uint64_t i = 0; i < rounds; ++i) {
    const auto epoch = w.lock_exclusive(zero);
    w.add(zero, disp{3}, 1).or_throw();
    const std::uint64_t one = w.fetch_add(zero, disp{3}, 1);
    EXPECT_EQ(w.compare_swap(zero, disp{3}, one + 1, one + 2), one + 1);
    EXPECT_TRUE(
        w.get_accumulate(atomic_op::sum, zero, disp{0}, std::span(ones), std::span(before)).ok());
    EXPECT_EQ(before[3], one + 2);
  }
  world.barrier().or_throw();
  const auto epoch = w.lock_exclusive(zero);
  const auto turns = rounds * static_cast<std::uint64_t>(world.size());
  EXPECT_EQ(w.get(zero, disp{0}), turns);
  EXPECT_EQ(w.get(zero, disp{3}), 4 * turns);
  EXPECT_NE(w.explain().find("plain arithmetic"), std::string::npos);
}

TEST(Alone, SumsOfWindowsThatOnlyExclusiveLocksOpenAreExact) {
  session opened(one_thread());
  const team world = opened.world();
  constexpr auto promise = assertion::exclusive_lock | assertion::multi_element;
  constexpr auto bare = promise | assertion::remote_load_store;
  expect_exact_sums(world, window<std::uint64_t>::allocate(world, 64, promise));
  expect_exact_sums(world, window<std::uint64_t, promise>::allocate(world, 64));
  expect_exact_sums(world, window<std::uint64_t, bare>::allocate(world, 64));
}

// The loops are this process's own; others' private memory is their agents'.
TEST(Alone, TellsWhoAddsToMemoryThatIsNotMapped) {
  session opened(one_thread());
  const team world = opened.world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<std::uint64_t> mine(8);
  const auto w = window<std::uint64_t>::create(world, std::span(mine), assertion::exclusive_lock);
  const std::string text = w.explain();
  EXPECT_NE(text.find("plain arithmetic: only exclusive locks open epochs; on memory that is not "
                      "mapped here the owner's agent applies CPU atomics"),
            std::string::npos)
      << text;
}

TEST(Alone, SumsUnderExclusiveAndSharedLocksAreExact) {
  session opened(one_thread());
  const team world = opened.world();
  constexpr std::size_t n = 100;
  constexpr int rounds = 200;
  // Aligned, and such that every element takes a lock.
  for (const std::size_t shift : {0, 4}) {
    any_window w = any_window::allocate(
        world, n * 16 + shift, datatype::bytes(1),
        assertion::shared_lock | assertion::exclusive_lock | assertion::user_datatype);
    const std::vector<double> ones(n, 1.0);
    const shape dense{datatype::of<double>(), n};
    const shape every_second{datatype::vector(n, 1, 2, datatype::of<double>()), 1};
    const rank zero{0};
    std::vector<double> before(n);
    for (int i = 0; i < rounds; ++i) {
      EXPECT_TRUE(w.lock(lock_kind::exclusive, zero).ok());
      w.get_accumulate(atomic_op::sum, primitive::float64, zero, disp{shift}, ones.data(),
                       before.data(), n)
          .or_throw();
      std::vector<double> again(n);
      w.get_accumulate(atomic_op::sum, zero, disp{shift}, ones.data(), dense, again.data(), dense,
                       dense)
          .or_throw();
      EXPECT_TRUE(w.unlock(zero).ok());
      for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(again[k], before[k] + 1);
      EXPECT_TRUE(w.lock(lock_kind::shared, zero).ok());
      w.accumulate(atomic_op::sum, zero, disp{shift}, ones.data(), dense, every_second).or_throw();
      w.accumulate(atomic_op::sum, primitive::float64, zero, disp{shift}, ones.data(), n)
          .or_throw();
      EXPECT_TRUE(w.unlock(zero).ok());
    }
    world.barrier().or_throw();
    std::vector<double> sums(2 * n);
    EXPECT_TRUE(w.lock(lock_kind::shared, zero).ok());
    w.get(zero, disp{shift}, sums.data(), {datatype::of<double>(), 2 * n},
          {datatype::of<double>(), 2 * n})
        .or_throw();
    EXPECT_TRUE(w.unlock(zero).ok()) << w.failure();
    const double turns = static_cast<double>(rounds) * world.size();
    for (std::size_t k = 0; k < 2 * n; ++k)
      EXPECT_EQ(sums[k], turns * ((k < n ? 3 : 0) + (k % 2 == 0 ? 1 : 0))) << k;
    world.barrier().or_throw();
  }
}

}  // namespace
}  // namespace oriel::testing
