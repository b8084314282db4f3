// Long copies with devices are begun, and a test driver does what was begun only when somebody
// waits. So what an epoch, a flush or a request forgets to wait for shows here: targets are read by
// their owners, whose own waiting does not help the origin's copies, and results by the host.
#include <algorithm>
#include <array>
#include <thread>
#include <tuple>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t room = 4096;  // elements a rank

// What rank `r` sends in its `turn`.
std::vector<int> row_of(int r, int turn, std::size_t n) {
  std::vector<int> row(n);
  for (std::size_t i = 0; i < n; ++i)
    row[i] = 1000000 * turn + 100000 * (r + 1) + static_cast<int>(i);
  return row;
}

// This rank's own segment, read by its runtime.
std::vector<int> read_own(const any_window& w, std::size_t n) {
  std::vector<int> row(n);
  EXPECT_TRUE(job().copy(row.data(), w.shared_query(rank{me()}).base, n * sizeof(int)).ok());
  return row;
}

any_window on_devices(assertion_set promised, const datatype& base = datatype::of<int>()) {
  window_options options;
  options.memory_kind = device_kind();
  const auto count = room * sizeof(int) / static_cast<std::size_t>(base.extent());
  return any_window::allocate(world(), count, base,
                              promised | assertion::multi_element | assertion::user_datatype,
                              options);
}

// A buffer of ints in device memory.
class on_device_buffer {
 public:
  explicit on_device_buffer(const std::vector<int>& row)
      : memory_(job().alloc_mem(row.size() * sizeof(int), device_kind())) {
    EXPECT_TRUE(job().copy(memory_.data(), row.data(), memory_.size()).ok());
  }
  ~on_device_buffer() { job().free_mem(memory_).or_throw(); }
  on_device_buffer(const on_device_buffer&) = delete;
  on_device_buffer& operator=(const on_device_buffer&) = delete;
  [[nodiscard]] int* data() const { return reinterpret_cast<int*>(memory_.data()); }
  [[nodiscard]] std::vector<int> read() const {
    std::vector<int> row(memory_.size() / sizeof(int));
    EXPECT_TRUE(job().copy(row.data(), memory_.data(), memory_.size()).ok());
    return row;
  }

 private:
  std::span<std::byte> memory_;
};

class DeviceEpochs : public ::testing::TestWithParam<std::tuple<synced, std::size_t>> {};

TEST_P(DeviceEpochs, CompleteWhatWasBegun) {
  const auto [how, n] = GetParam();
  any_window w = on_devices(promise_of(how));
  const rank target = world().next(), origin = world().previous();
  const auto mine = row_of(me(), 1, n), theirs = row_of(origin.value, 1, n);
  in_epoch(w, how, target, origin,
           [&] { EXPECT_TRUE(w.put(target, disp{3}, mine.data(), n).ok()); });
  const auto held = read_own(w, n + 3);
  EXPECT_EQ(std::vector<int>(held.begin() + 3, held.end()), theirs);
  EXPECT_TRUE(world().barrier().ok());
  std::vector<int> result(n);
  in_epoch(w, how, target, origin,
           [&] { EXPECT_TRUE(w.get(target, disp{3}, result.data(), n).ok()); });
  EXPECT_EQ(result, mine);
  // With layouts: rows of n with gaps of 5, twice.
  if (2 * (n + 5) <= room) {
    const datatype rows =
        datatype::vector(2, n, static_cast<std::ptrdiff_t>(n + 5), datatype::of<int>());
    const auto two = row_of(me(), 2, 2 * (n + 5)), other = row_of(origin.value, 2, 2 * (n + 5));
    in_epoch(w, how, target, origin, [&] {
      EXPECT_TRUE(w.put(target, disp{0}, two.data(), {rows, 1}, {rows, 1}).ok());
    });
    const auto after = read_own(w, 2 * (n + 5));
    EXPECT_EQ(after[0], other[0]);
    EXPECT_EQ(after[2 * n + 4], other[2 * n + 4]);
    EXPECT_TRUE(world().barrier().ok());
    std::vector<int> back(2 * (n + 5), -1);
    in_epoch(w, how, target, origin, [&] {
      EXPECT_TRUE(w.get(target, disp{0}, back.data(), {rows, 1}, {rows, 1}).ok());
    });
    EXPECT_EQ(back[n - 1], two[n - 1]);
    EXPECT_EQ(back[n], -1) << "a gap";
    EXPECT_EQ(back[2 * n + 4], two[2 * n + 4]);
  }
  EXPECT_EQ(w.failure(), "");
}

// 64 bytes are copied at once, and more is begun.
INSTANTIATE_TEST_SUITE_P(All, DeviceEpochs,
                         ::testing::Combine(::testing::ValuesIn(all_synced),
                                            ::testing::Values<std::size_t>(2, 16, 17, 2000)));

class DeviceFlushes : public ::testing::TestWithParam<std::size_t> {};

// By typed windows, which call no slot when there is nothing to wait for.
TEST_P(DeviceFlushes, CompleteWhatWasBegun) {
  const std::size_t n = GetParam();
  window_options options;
  options.memory_kind = device_kind();
  auto w = window<int>::allocate(world(), room, assertion::shared_lock | assertion::multi_element,
                                 options);
  const rank target = world().next(), origin = world().previous();
  auto epoch = w.lock_all();
  const auto flush = [&](int way) {
    if (way < 2) return way == 0 ? w.flush(target) : w.flush_all();
    return way == 2 ? w.flush_local(target) : w.flush_local_all();
  };
  for (int way = 0; way < 4; ++way) {
    std::vector<int> mine = row_of(me(), way, n);
    EXPECT_TRUE(w.put(target, disp{0}, std::span<const int>(mine)).ok());
    EXPECT_TRUE(flush(way).ok());
    // The source is the caller's again, whichever flush it was.
    const auto sent = mine;
    std::fill(mine.begin(), mine.end(), -7);
    EXPECT_TRUE(w.flush(target).ok());
    EXPECT_TRUE(world().barrier().ok());
    std::vector<int> held(n), result(n);
    EXPECT_TRUE(job().copy(held.data(), w.shared_query(world().me()).base, n * sizeof(int)).ok());
    EXPECT_EQ(held, row_of(origin.value, way, n)) << way;
    EXPECT_TRUE(world().barrier().ok());
    EXPECT_TRUE(w.get(target, disp{0}, std::span<int>(result)).ok());
    EXPECT_TRUE(flush(way).ok());
    EXPECT_EQ(result, sent) << way;
    EXPECT_TRUE(w.flush(target).ok());
    EXPECT_TRUE(world().barrier().ok());
  }
}

TEST_P(DeviceFlushes, AreNotNeededForRequests) {
  const std::size_t n = GetParam();
  any_window w = on_devices(assertion::shared_lock);
  const rank target = world().next(), origin = world().previous();
  ASSERT_TRUE(w.lock_all().ok());
  std::vector<int> mine = row_of(me(), 1, n);
  const on_device_buffer source(mine), sink(std::vector<int>(n, 0));
  for (const int* from :
       {static_cast<const int*>(mine.data()), static_cast<const int*>(source.data())}) {
    EXPECT_TRUE(w.rput(target, disp{0}, from, n, call_site::here()).wait().ok());
    EXPECT_TRUE(w.flush(target).ok());
    EXPECT_TRUE(world().barrier().ok());
    EXPECT_EQ(read_own(w, n), row_of(origin.value, 1, n));
    std::vector<int> result(n);
    EXPECT_TRUE(w.rget(target, disp{0}, result.data(), n, call_site::here()).wait().ok());
    EXPECT_EQ(result, mine);
    request r = w.rget(target, disp{0}, sink.data(), n, call_site::here());
    while (!r.test()) std::this_thread::yield();
    EXPECT_TRUE(r.wait().ok());
    EXPECT_EQ(sink.read(), mine);
    EXPECT_TRUE(w.flush(target).ok());
    EXPECT_TRUE(world().barrier().ok());
  }
  EXPECT_TRUE(w.unlock_all().ok());
}

TEST_P(DeviceFlushes, AreNotNeededForNotifications) {
  const std::size_t n = GetParam();
  any_window w = on_devices(assertion::shared_lock | assertion::notify);
  const rank target = world().next(), origin = world().previous();
  ASSERT_TRUE(w.lock_all().ok());
  const auto mine = row_of(me(), 1, n);
  const on_device_buffer source(mine);
  std::uint64_t puts = 0;
  for (const int* from : {mine.data(), static_cast<const int*>(source.data())}) {
    const std::vector<int> none(n);
    EXPECT_TRUE(job().copy(w.shared_query(rank{me()}).base, none.data(), n * sizeof(int)).ok());
    EXPECT_TRUE(world().barrier().ok());
    ASSERT_TRUE(w.put_notify(target, disp{0}, from, n, 2).ok()) << w.failure();
    ASSERT_TRUE(w.wait_notify(2, ++puts).ok()) << w.failure();
    EXPECT_TRUE(w.flush(target).ok());
    EXPECT_EQ(read_own(w, n), row_of(origin.value, 1, n));
    EXPECT_TRUE(world().barrier().ok());
  }
  EXPECT_TRUE(w.unlock_all().ok());
}

// Layouts whose pieces are long, with origins and results in device memory, which are copied by way
// of the host: the copy must not be let go of before the pieces have been moved.
TEST_P(DeviceFlushes, CompleteLayoutsOfBuffersInDeviceMemory) {
  const std::size_t n = GetParam();
  const std::size_t whole = 2 * (n + 5);
  if (whole > room) GTEST_SKIP() << "two rows do not fit";
  any_window w = on_devices(assertion::shared_lock);
  const rank target = world().next(), origin = world().previous();
  const datatype rows =
      datatype::vector(2, n, static_cast<std::ptrdiff_t>(n + 5), datatype::of<int>());
  const auto mine = row_of(me(), 1, whole);
  const on_device_buffer source(mine), sink(std::vector<int>(whole, -1));
  ASSERT_TRUE(w.lock_all().ok());
  EXPECT_TRUE(w.put(target, disp{0}, source.data(), {rows, 1}, {rows, 1}).ok()) << w.failure();
  EXPECT_TRUE(w.flush(target).ok());
  EXPECT_TRUE(world().barrier().ok());
  auto expected = row_of(origin.value, 1, whole);
  for (std::size_t gap = 0; gap < 5; ++gap) expected[n + gap] = expected[2 * n + 5 + gap] = 0;
  EXPECT_EQ(read_own(w, whole), expected);
  EXPECT_TRUE(w.get(target, disp{0}, sink.data(), {rows, 1}, {rows, 1}).ok()) << w.failure();
  EXPECT_TRUE(w.flush(target).ok());
  expected = mine;
  for (std::size_t gap = 0; gap < 5; ++gap) expected[n + gap] = expected[2 * n + 5 + gap] = -1;
  EXPECT_EQ(sink.read(), expected);
  EXPECT_TRUE(w.unlock_all().ok());
  EXPECT_TRUE(world().barrier().ok());
}

// An element of several: its source and result are the caller's on return.
TEST_P(DeviceFlushes, AreNotNeededForSingleElements) {
  const std::size_t n = GetParam();
  for (const bool dense : {true, false}) {
    const datatype base =
        dense ? datatype::contiguous(n, datatype::of<int>())
              : datatype::resized(datatype::contiguous(n, datatype::of<int>()), 0,
                                  static_cast<std::ptrdiff_t>((n + 3) * sizeof(int)));
    any_window w = on_devices(assertion::shared_lock, base);
    const rank target = world().next();
    ASSERT_TRUE(w.lock_all().ok());
    std::vector<int> mine = row_of(me(), 1, n + 3), result(n + 3);
    EXPECT_TRUE(w.put(target, disp{0}, mine.data(), 1).ok());
    const auto sent = mine;
    std::fill(mine.begin(), mine.end(), -7);
    EXPECT_TRUE(w.flush(target).ok());
    EXPECT_TRUE(w.get(target, disp{0}, result.data(), 1).ok());
    result.resize(n);
    EXPECT_EQ(result, std::vector<int>(sent.begin(), sent.begin() + static_cast<long>(n)));
    EXPECT_TRUE(w.unlock_all().ok());
    EXPECT_TRUE(world().barrier().ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DeviceFlushes, ::testing::Values<std::size_t>(2, 16, 17, 2000));

// Each thread waits for its own, while others begin and wait.
TEST(DeviceThreads, WaitForTheirOwnCopies) {
  constexpr int threads = 4;
  constexpr std::size_t n = room / threads;
  any_window w = on_devices(assertion::shared_lock);
  const rank target = world().next();
  ASSERT_TRUE(w.lock_all().ok());
  std::array<int, threads> wrong{};
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (int turn = 0; turn < 50; ++turn) {
        const auto mine = row_of(t, turn, n);
        std::vector<int> result(n);
        const disp first{static_cast<std::uint64_t>(t) * n};
        const bool good = w.put(target, first, mine.data(), n).ok() && w.flush(target).ok() &&
                          w.get(target, first, result.data(), n).ok() && w.flush(target).ok();
        wrong[static_cast<std::size_t>(t)] += good && result == mine ? 0 : 1;
      }
    });
  for (auto& t : all) t.join();
  EXPECT_EQ(wrong, (std::array<int, threads>{})) << w.failure();
  EXPECT_TRUE(w.unlock_all().ok());
}

}  // namespace
}  // namespace oriel::testing
