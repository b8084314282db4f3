// Atomics on a device that a kernel fills: the test driver's devices have room for one block.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/kinds/device_fixture.hpp"
#include "tests/support/device_kernel.hpp"

namespace oriel::testing {
namespace {

using kinds::atomic_task;
using kinds::residence;
using std::chrono::milliseconds;

class device_room_test : public device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!emulated() || vendor_under_test() == kinds::vendor::level_zero)
      GTEST_SKIP() << "needs a driver whose devices can be filled";
    if (const std::string why = runtime().lacks_atomics(0); !why.empty()) GTEST_SKIP() << why;
  }
  // Adds 1 to each of n words.
  errc add(std::byte* words, std::uint64_t n, kinds::time_limit::length at_most,
           std::uint64_t* before = nullptr) {
    const std::vector<std::uint64_t> ones(n, 1);
    atomic_task t;
    t.op = atomic_op::sum;
    t.type = primitive::uint64;
    t.width = 8;
    t.n = n;
    t.location = words;
    t.operands = ones.data();
    t.results = before;
    return runtime().apply(0, t, at_most);
  }

  const scoped_variable room_{"ORIEL_TEST_ROOM", "1"};
};

// While it lives, a kernel fills the device.
class filled_device {
 public:
  filled_device() { runs_.wait(false); }
  ~filled_device() {
    leaves_ = true;
    leaves_.notify_one();
    thread_.join();
  }
  filled_device(const filled_device&) = delete;
  filled_device& operator=(const filled_device&) = delete;

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

TEST_F(device_room_test, WithRoomALimitChangesNothing) {
  const auto words = allocate(residence::device, 8 * 5000);
  std::vector<std::uint64_t> before(5000, 7);
  EXPECT_EQ(add(words.get(), 5000, milliseconds(60'000), before.data()), errc::success);
  EXPECT_EQ(before, std::vector<std::uint64_t>(5000, 0));
  EXPECT_EQ(add(words.get(), 5000, milliseconds(60'000), before.data()), errc::success);
  EXPECT_EQ(before, std::vector<std::uint64_t>(5000, 1));
}

TEST_F(device_room_test, WhatIsGivenUpIsNeverDone) {
  const auto words = allocate(residence::device, 8 * 256);
  std::vector<std::uint64_t> before(256, 7);
  ASSERT_EQ(add(words.get(), 256, {}), errc::success);
  {
    const filled_device filled;
    EXPECT_EQ(add(words.get(), 256, milliseconds(50), before.data()), errc::timed_out);
    EXPECT_EQ(add(words.get(), 1, milliseconds(50)), errc::timed_out);
    EXPECT_EQ(before, std::vector<std::uint64_t>(256, 7));
    EXPECT_EQ(read_value<std::uint64_t>(words.get()), 1u);  // copies go on
  }
  EXPECT_EQ(add(words.get(), 256, milliseconds(60'000), before.data()), errc::success);
  EXPECT_EQ(before, std::vector<std::uint64_t>(256, 1));
}

// The memory goes as the kernel still waits for room.
TEST_F(device_room_test, WhatIsGivenUpMayBeFreed) {
  auto words = allocate(residence::device, 8);
  ASSERT_EQ(add(words.get(), 1, {}), errc::success);
  {
    const filled_device filled;
    EXPECT_EQ(add(words.get(), 1, milliseconds(50)), errc::timed_out);
    words.release();
  }
  const auto others = allocate(residence::device, 8);
  EXPECT_EQ(add(others.get(), 1, milliseconds(60'000)), errc::success);
}

TEST_F(device_room_test, RoomThatComesInTimeIsTaken) {
  const auto words = allocate(residence::device, 8);
  ASSERT_EQ(add(words.get(), 1, {}), errc::success);
  std::atomic<bool> asked{false};
  std::thread adds;
  {
    const filled_device filled;
    adds = std::thread([&] {
      asked = true;
      EXPECT_EQ(add(words.get(), 1, milliseconds(60'000)), errc::success);
    });
    while (!asked) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_EQ(read_value<std::uint64_t>(words.get()), 1u);
  }
  adds.join();
  EXPECT_EQ(read_value<std::uint64_t>(words.get()), 2u);
}

}  // namespace
}  // namespace oriel::testing
