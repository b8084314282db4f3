// Kernels of a rank whose memory devices reach, on memory of another that its owner alone maps:
// their requests are put off, or gather, as those of the host are, until a kernel's quiet.
#include <vector>

#include "oriel/device.cuh"
#include "tests/support/device_kernel.hpp"
#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element;
constexpr std::uint64_t several = 20, count = 2 * several;

// Rank 0's is managed, all others' are of `mine`.
std::span<int> memory_of(std::vector<int>& mine) {
  if (me() != 0) return mine;
  const auto managed = job().alloc_mem(count * sizeof(int), kind_of(made::managed));
  return {reinterpret_cast<int*>(managed.data()), count};
}

class KernelsOnPrivateMemory : public ::testing::TestWithParam<bool> {};

TEST_P(KernelsOnPrivateMemory, QuietCompletesWhatWasBegun) {
  if (ranks() == 1) GTEST_SKIP() << "no other rank";
  const rank owner{ranks() - 1};
  window_options options;
  options.aggregate = GetParam();
  std::vector<int> mine(count);
  auto w = window<int>::create(world(), memory_of(mine), promise, options);
  {
    auto epoch = w.lock_all();
    if (me() == 0) {
      const window_view<int> view(w.kernel_view());
      std::vector<int> back(several);
      as_kernel([&] {
        for (std::uint64_t i = 0; i < several; ++i) {
          view.put(owner, disp{i}, static_cast<int>(i) + 1);
          view.accumulate<atomic_op::sum>(owner, disp{several + i}, static_cast<int>(i) + 1);
        }
        EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
        view.get_nbi(scope::thread{}, owner, disp{0}, back.data(), several);
        EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
      });
      for (std::uint64_t i = 0; i < several; ++i) EXPECT_EQ(back[i], static_cast<int>(i) + 1);
      as_kernel([&] {
        for (std::uint64_t i = 0; i < several; ++i)
          view.put(owner, disp{i}, static_cast<int>(i) + 2);
        EXPECT_EQ(view.quiet(scope::thread{}), errc::success);
      });
    }
    ASSERT_TRUE(world().barrier().ok());
    if (me() == owner.value)
      for (std::uint64_t i = 0; i < several; ++i) {
        EXPECT_EQ(mine[i], static_cast<int>(i) + 2);
        EXPECT_EQ(mine[several + i], static_cast<int>(i) + 1);
      }
    EXPECT_EQ(w.failure(), "");
  }
  ASSERT_TRUE(world().barrier().ok());
}

INSTANTIATE_TEST_SUITE_P(Whether, KernelsOnPrivateMemory, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "gathers" : "not"; });

}  // namespace
}  // namespace oriel::testing
