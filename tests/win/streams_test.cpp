// Operations in the order of a program's streams, on the test drivers of CUDA and HIP: copies that
// are begun there are done as late as they may be, and functions that streams call on the host must
// call no driver, which the driver's ledger is judged for.
#include <chrono>
#include <thread>

#include "tests/win/program_stream.hpp"

namespace oriel::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto promise = assertion::shared_lock | assertion::multi_element | assertion::notify;
constexpr std::size_t count = 1000;

window<std::int64_t> a_window(made how) {
  window_options options = on(kind_of(how));
  options.notify_counters = 16;
  return window<std::int64_t>::allocate(world(), count, promise, options);
}
std::vector<std::int64_t> all_of(std::size_t n, std::int64_t value) {
  return std::vector<std::int64_t>(n, value);
}

class Streams : public ::testing::TestWithParam<made> {
 protected:
  // HIP has operations of streams on AMD's devices alone, Level Zero none.
  void SetUp() override {
    if (tested_kind() == std::string("level_zero")) GTEST_SKIP() << "it has no such streams";
  }
};

// Each operation takes what the one before it brought, on one stream and without a look from the
// host.
TEST_P(Streams, DoOneOperationAfterTheOther) {
  auto w = a_window(GetParam());
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> first(50, kind_of(made::pinned));
  program_buffer<std::int64_t> between(50, device_kind()), last(50, device_kind());
  const auto epoch = w.lock_all();
  for (std::int64_t round = 1; round <= 20; ++round) {
    first.fill(100 * round + me());
    last.fill(-1);
    EXPECT_TRUE(w.put_on(s, world().me(), disp{0}, first.span()).ok()) << w.failure();
    EXPECT_TRUE(w.get_on(s, world().me(), disp{0}, between.span()).ok()) << w.failure();
    for (int r = 0; r < ranks(); ++r) {
      const auto place = 100 + 50 * static_cast<std::uint64_t>(me());
      EXPECT_TRUE(w.put_on(s, rank{r}, disp{place}, between.span()).ok()) << w.failure();
      EXPECT_TRUE(w.signal_on(s, rank{r}, 0).ok()) << w.failure();
    }
    EXPECT_TRUE(w.wait_more_on(s, 0, static_cast<std::uint64_t>(ranks())).ok()) << w.failure();
    const auto place = 100 + 50 * static_cast<std::uint64_t>(world().previous().value);
    EXPECT_TRUE(w.get_on(s, world().me(), disp{place}, last.span()).ok()) << w.failure();
    ASSERT_TRUE(s.synchronize());
    EXPECT_EQ(last.read(), all_of(50, 100 * round + world().previous().value)) << w.failure();
    // A rank that is ahead must not overwrite what another has yet to get.
    ASSERT_TRUE(world().barrier().ok());
  }
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
}

// Two streams a rank, each with places and a counter of its own at every rank: who sees a count
// sees the put before it.
TEST_P(Streams, SignalAfterWhatTheyHavePutFromSeveralOrigins) {
  constexpr std::int64_t rounds = 40;
  const auto place = [](std::uint64_t stream, std::uint64_t round) {
    return stream * (rounds + 1) + round;
  };
  auto w = a_window(GetParam());
  const program_stream one(device_of(w)), other(device_of(w));
  program_buffer<std::int64_t> values(rounds + 1, device_kind());
  {
    std::vector<std::int64_t> counted(rounds + 1);
    for (std::int64_t i = 0; i <= rounds; ++i) counted[static_cast<std::size_t>(i)] = i;
    job().copy(values.span().data(), counted.data(), counted.size() * 8).or_throw();
  }
  const auto mine = 2 * static_cast<std::uint64_t>(me());
  auto epoch = w.lock_all();
  for (std::uint64_t round = 1; round <= rounds; ++round)
    for (int r = 0; r < ranks(); ++r)
      for (const std::uint64_t which : {0, 1}) {
        const program_stream& s = which == 0 ? one : other;
        w.put_on(s, rank{r}, disp{place(mine + which, round)}, values.span().subspan(round, 1))
            .or_throw();
        w.signal_on(s, rank{r}, mine + which).or_throw();
      }
  for (std::uint64_t round = 1; round <= rounds; ++round)
    for (std::uint64_t from = 0; from < 2 * static_cast<std::uint64_t>(ranks()); ++from) {
      ASSERT_TRUE(w.wait_notify(from, round).ok()) << w.failure();
      EXPECT_EQ(w.get(world().me(), disp{place(from, round)}), static_cast<std::int64_t>(round));
    }
  EXPECT_TRUE(one.synchronize());
  EXPECT_TRUE(other.synchronize());
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
  epoch.end().or_throw();
  ASSERT_TRUE(world().barrier().ok());
}

// The host goes on, and what is behind the wait does not begin.
TEST_P(Streams, WaitForNotificationsWithoutTheHost) {
  auto w = a_window(GetParam());
  const program_stream s(device_of(w)), t(device_of(w));
  program_buffer<std::int64_t> seven(1, device_kind());
  seven.fill(7);
  const auto mine = static_cast<std::uint64_t>(me());
  const auto epoch = w.lock_all();
  w.wait_on(s, 1, 2).or_throw();
  w.put_on(s, world().next(), disp{mine}, seven.span()).or_throw();
  w.signal_on(s, world().next(), 2).or_throw();
  // A stream that waits holds up no other one of the same process.
  w.wait_on(t, 2, 1).or_throw();
  w.notify(world().me(), 1).or_throw();
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(w.get(world().next(), disp{mine}), 0);
  EXPECT_TRUE(w.flush_all().ok()) << "does not wait for streams: " << w.failure();
  EXPECT_EQ(w.notified(2), 0u);
  ASSERT_TRUE(world().barrier().ok());
  w.notify(world().me(), 1).or_throw();
  ASSERT_TRUE(t.synchronize());
  ASSERT_TRUE(s.synchronize());
  EXPECT_EQ(w.get(world().next(), disp{mine}), 7);
  EXPECT_EQ(w.notified(2), 1u);
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
  ASSERT_TRUE(world().barrier().ok());
}

// Whatever device is current.
TEST(StreamsOfTheHostsMemory, AreThoseOfTheDeviceThatTheHintNames) {
  if (tested_kind() == std::string("level_zero")) GTEST_SKIP() << "it has no such streams";
  for (const int device : {1, 0}) {
    window_options options = on(kind_of(made::pinned));
    options.hints.set("oriel_device", std::to_string(device));
    auto w = window<std::int64_t>::allocate(world(), 50, promise, options);
    const program_stream s(device);
    program_buffer<std::int64_t> row(50, kind_of(made::pinned));
    row.fill(10 * device + me());
    const auto epoch = w.lock_all();
    EXPECT_TRUE(w.put_on(s, world().next(), disp{0}, row.span()).ok()) << w.failure();
    ASSERT_TRUE(s.synchronize());
    ASSERT_TRUE(world().barrier().ok());
    EXPECT_EQ(w.get(world().me(), disp{49}), 10 * device + world().previous().value);
    ASSERT_TRUE(world().barrier().ok());
  }
}

// The program's captures forbid allocations and modules to every thread that has not said that it
// knows: the first atomic, by the agent or the program itself, is to be done all the same.
TEST(StreamsOfProgramsThatCapture, LetTheFirstAtomicOfADeviceBeDone) {
  if (tested_kind() == std::string("level_zero")) GTEST_SKIP() << "it has no such streams";
  if (!has_kernels()) GTEST_SKIP() << "there are no kernels for atomics";
  auto w = window<std::int64_t>::allocate(world(), 50, promise, on(device_kind()));
  const program_stream s(device_of(w));
  const auto epoch = w.lock_all();
  s.begin_capture();
  EXPECT_TRUE(world().barrier().ok());
  EXPECT_EQ(w.fetch_add(world().next(), disp{0}, 5), 0) << w.failure();
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
  EXPECT_TRUE(world().barrier().ok());
  program_stream::destroy(s.end_capture());
  EXPECT_EQ(w.get(world().me(), disp{0}), 5);
  EXPECT_EQ(w.failure(), "");
}

// The first operation of the window is captured, so that all it needs is made meanwhile.
TEST_P(Streams, AreCapturedAndLaunchedAgain) {
  auto w = a_window(GetParam());
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(100, device_kind());
  s.begin_capture();
  w.wait_more_on(s, 3).or_throw();
  w.get_on(s, world().me(), disp{0}, row.span()).or_throw();
  w.put_on(s, world().next(), disp{200}, row.span()).or_throw();
  w.signal_on(s, world().next(), 4).or_throw();
  void* const graph = s.end_capture();
  const auto epoch = w.lock_all();
  for (std::int64_t round = 1; round <= 3; ++round) {
    const auto values = all_of(100, 10 * round + me());
    w.put(world().me(), disp{0}, std::span(values)).or_throw();
    w.flush_all().or_throw();
    s.launch(graph);
    std::this_thread::sleep_for(2ms);
    EXPECT_EQ(w.notified(4), static_cast<std::uint64_t>(round - 1)) << "it waits at every launch";
    ASSERT_TRUE(world().barrier().ok());
    w.notify(world().me(), 3).or_throw();
    ASSERT_TRUE(w.wait_notify(4, static_cast<std::uint64_t>(round)).ok()) << w.failure();
    std::vector<std::int64_t> got(100);
    w.get(world().me(), disp{200}, std::span(got)).or_throw();
    w.flush_all().or_throw();
    EXPECT_EQ(got, all_of(100, 10 * round + world().previous().value));
    ASSERT_TRUE(s.synchronize());
    ASSERT_TRUE(world().barrier().ok());
  }
  program_stream::destroy(graph);
}

TEST_P(Streams, RefuseWhatCannotBeAtOnce) {
  auto w = a_window(GetParam());
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  std::vector<std::int64_t> pageable(10);
  const rank next = world().next();
  const auto epoch = w.lock_all();
  const auto expect = [&](status got, errc code, const char* words) {
    EXPECT_EQ(got.code(), code);
    EXPECT_NE(w.failure().find(words), std::string::npos) << w.failure();
  };
  expect(w.put_on(s, rank{ranks()}, disp{0}, row.span()), errc::rank, "put_on");
  expect(w.get_on(s, next, disp{count - 9}, row.span()), errc::rma_range, "1001");
  expect(w.put_on(s, next, disp{count + 1}, row.span()), errc::rma_range, "1000");
  expect(w.put_on(s, next, disp{0}, std::span(pageable)), errc::unsupported_kind, "buffer");
  expect(w.signal_on(s, next, 16), errc::arg, "counter 16");
  expect(w.signal_on(s, next, 0, 0), errc::arg, "signal_on");
  expect(w.signal_on(s, any_rank, 0), errc::rank, "signal_on");
  expect(w.wait_on(s, 16, 1), errc::arg, "counter 16");
  EXPECT_EQ(w.flush_all().code(), errc::rank);
  w.clear_failure();
  EXPECT_TRUE(w.put_on(s, next, disp{count}, row.span().first(0)).ok()) << "none is none";
  EXPECT_TRUE(s.synchronize());

  auto silent = window<std::int64_t>::allocate(world(), count, assertion::shared_lock,
                                               on(kind_of(GetParam())));
  EXPECT_EQ(silent.signal_on(s, next, 0).code(), errc::not_asserted);
  EXPECT_EQ(silent.wait_on(s, 0, 1).code(), errc::not_asserted);
  EXPECT_EQ(silent.put_on(s, next, disp{0}, row.span()).code(), errc::not_asserted);
  EXPECT_EQ(silent.free().code(), errc::not_asserted);
  EXPECT_EQ(silent.put_on(s, next, disp{0}, row.span()).code(), errc::win);
}

// As the host's own, and once each, whether the stream copies or the poller's thread does it.
TEST_P(Streams, CountWhatTheyDo) {
  auto w = a_window(GetParam());
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  const auto epoch = w.lock_all();
  for (int r = 0; r < ranks(); ++r) {
    const disp mine{10 * static_cast<std::uint64_t>(me())};
    w.put_on(s, rank{r}, mine, row.span()).or_throw();
    w.get_on(s, rank{r}, mine, row.span().first(3)).or_throw();
    w.signal_on(s, rank{r}, 5).or_throw();
  }
  ASSERT_TRUE(s.synchronize());
  w.wait_on(s, 6, 1).or_throw();
  std::this_thread::sleep_for(200ms);
  w.notify(world().me(), 6).or_throw();
  ASSERT_TRUE(s.synchronize());
  const auto n = static_cast<std::uint64_t>(ranks());
  const window_statistics all = w.statistics();
  EXPECT_EQ(all.of(operation_kind::put), (window_statistics::tally{n, n * 80}));
  EXPECT_EQ(all.of(operation_kind::get), (window_statistics::tally{n, n * 24}));
  EXPECT_EQ(all.of(operation_kind::put_notify), (window_statistics::tally{n + 1, 0}));
  EXPECT_EQ(all.of(wait_cause::notification).times, 1u) << "a wait of a stream, which lasted";
  EXPECT_GE(all.of(wait_cause::notification).time, 10ms);
  EXPECT_LT(all.of(wait_cause::notification).time, 60s);
  ASSERT_TRUE(world().barrier().ok());
}

INSTANTIATE_TEST_SUITE_P(On, Streams, ::testing::Values(made::device, made::managed, made::pinned));

TEST(NoStreams, WhereTheWindowHasNoneOfItsKind) {
  auto w = window<std::int64_t>::allocate(world(), 10, promise);
  program_buffer<std::int64_t> row(10, device_kind());
  EXPECT_EQ(w.put_on(nullptr, world().me(), disp{0}, row.span()).code(), errc::unsupported_kind);
  EXPECT_NE(w.failure().find("memory_kind"), std::string::npos) << w.failure();
}

TEST(NoStreams, WhereTheyCannotWait) {
  const scoped_variable refuse("ORIEL_TEST_REFUSE", "wait_value");
  auto w = a_window(made::device);
  program_buffer<std::int64_t> row(10, device_kind());
  EXPECT_EQ(w.put_on(nullptr, world().me(), disp{0}, row.span()).code(), errc::unsupported_kind);
  EXPECT_NE(w.failure().find("streams"), std::string::npos) << w.failure();
}

}  // namespace
}  // namespace oriel::testing
