// Devices that are full of programs' kernels: what hosts do by kernels of oriel's waits for room,
// but no longer than ORIEL_TIMEOUT, and what was given up is never done. The test driver's devices
// have room for one block (ORIEL_TEST_ROOM), which a kernel of the test fills.
#include <atomic>
#include <thread>

#include "oriel/device.cuh"
#include "tests/support/device_kernel.hpp"
#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element | assertion::notify;

window<std::int64_t> a_window() {
  window_options options;
  options.memory_kind = device_kind();
  return window<std::int64_t>::allocate(world(), 16, promise, options);
}

// A kernel that fills the device until `leave`.
class filling_kernel {
 public:
  filling_kernel() { runs_.wait(false); }
  ~filling_kernel() { leave(); }
  void leave() {
    leaves_ = true;
    leaves_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<bool> runs_{false}, leaves_{false};
  std::thread thread_{[this] {
    as_kernel([this] {
      runs_ = true;
      runs_.notify_one();
      leaves_.wait(false);
    });
  }};
};

void expect_that_it_says_why(const std::string& failure) {
  for (const std::string text : {"ORIEL_TIMEOUT", "room", "block of 256 threads"})
    EXPECT_NE(failure.find(text), std::string::npos) << failure;
}

TEST(DeviceRoom, AHostsAtomicEndsAndIsNotDone) {
  auto w = a_window();
  auto epoch = w.lock_all();
  const rank next = world().next();
  w.fetch_add(next, disp{1}, 1);  // loads the device code
  ASSERT_TRUE(world().barrier().ok());
  {
    filling_kernel filling;
    ASSERT_TRUE(world().barrier().ok());
    std::int64_t before = 7;
    const std::int64_t one = 1;
    EXPECT_EQ(w.any().fetch_op(atomic_op::sum, next, disp{0}, &one, &before).code(),
              errc::timed_out);
    EXPECT_EQ(before, 7);
    expect_that_it_says_why(w.failure());
    // Copies need no room, and wait for no kernel.
    EXPECT_TRUE(w.put(next, disp{2}, 5).ok());
    EXPECT_EQ(w.flush_all().code(), errc::timed_out);  // the first failure
    ASSERT_TRUE(world().barrier().ok());
    EXPECT_EQ(w.get(world().me(), disp{2}), 5);
    ASSERT_TRUE(world().barrier().ok());
  }
  w.any().clear_failure();
  ASSERT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.fetch_add(next, disp{0}, 10), 0);
  ASSERT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.get(world().me(), disp{0}), 10);
  EXPECT_EQ(w.failure(), "");
}

// Where links have no native atomics, and between nodes, kernels' go by the owner.
TEST(DeviceRoom, KernelsThatWaitForEachOthersAtomicsGoOn) {
  auto w = a_window();
  const window_view<std::int64_t> view(w.kernel_view());
  const rank next = world().next();
  auto epoch = w.lock_all();
  if (w.shared_query(next).reachable() && w.any().lacks_kernel_atomics(next).empty())
    GTEST_SKIP() << "kernels update the other's memory themselves";
  as_kernel([&] {
    ASSERT_TRUE(world().barrier().ok());  // all devices are full
    view.accumulate<atomic_op::sum>(next, disp{0}, std::int64_t{1});
    EXPECT_EQ(view.quiet(scope::thread{}), errc::timed_out);
    ASSERT_TRUE(world().barrier().ok());
  });
  EXPECT_EQ(w.flush_all().code(), errc::timed_out);
  expect_that_it_says_why(w.failure());
  w.any().clear_failure();
  ASSERT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.fetch_add(next, disp{0}, 10), 0);
  EXPECT_EQ(w.failure(), "");
}

}  // namespace
}  // namespace oriel::testing
