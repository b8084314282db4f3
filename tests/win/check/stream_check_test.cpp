// ORIEL_CHECK=1 and operations in the order of streams: bounds, epochs and conflicts, on the test
// drivers of CUDA and HIP. Run with the variable set; win.streams itself runs under it, too, and
// finds nothing.
#include <array>
#include <chrono>
#include <thread>

#include "tests/win/program_stream.hpp"

namespace oriel::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto promise =
    assertion::shared_lock | assertion::pscw | assertion::multi_element | assertion::notify;
using checked = window<std::int64_t>;

checked make(made how = made::device, assertion_set promised = promise) {
  window_options options = on(kind_of(how));
  options.notify_counters = 4;
  options.name = "checked";
  return checked::allocate(world(), 100, promised, options);
}

class CheckedStreams : public ::testing::Test {
 protected:
  void SetUp() override {
    if (tested_kind() == std::string("level_zero")) GTEST_SKIP() << "it has no such streams";
    if (ranks() != 2) GTEST_SKIP() << "two ranks";
  }
};

void expect_failure(checked& w, status got, errc code, const std::string& said) {
  EXPECT_EQ(got.code(), code) << w.failure();
  for (const std::string& part : {said, std::string("stream_check_test.cpp:")})
    EXPECT_NE(w.failure().find(part), std::string::npos) << part << " in: " << w.failure();
  w.clear_failure();
}
// What the window has latched since it was clear.
void expect_latched(checked& w, errc code, const std::string& said) {
  EXPECT_EQ(w.flush_all().code(), code);
  for (const std::string& part : {said, std::string("stream_check_test.cpp:")})
    EXPECT_NE(w.first_failure().find(part), std::string::npos) << w.first_failure();
  w.clear_failure();
}

// Words of this process and the next that oriel does not see: they order nothing for it.
class unseen_order {
 public:
  unseen_order()
      : words_(window<std::int64_t>::allocate(world(), 1, assertion::local_load_store)) {}
  void tell() { word(world().me()).fetch_add(1); }
  void await(std::int64_t value) {
    while (word(world().next()).load() < value) std::this_thread::sleep_for(1ms);
  }

 private:
  std::atomic_ref<std::int64_t> word(rank r) {
    return std::atomic_ref(*static_cast<std::int64_t*>(words_.shared_query(r).base));
  }
  window<std::int64_t> words_;
};

TEST_F(CheckedStreams, NeedAnEpochWhenTheyAreEnqueued) {
  auto w = make();
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  const rank next = world().next();
  ::testing::internal::CaptureStderr();
  const status refused = w.put_on(s, next, disp{0}, row.span());
  const std::string printed = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(printed.find("oriel: ORIEL_CHECK: window 'checked'"), std::string::npos) << printed;
  expect_failure(w, refused, errc::rma_sync,
                 "put_on to rank " + std::to_string(next.value) + " outside of any access epoch");
  expect_failure(w, w.get_on(s, next, disp{0}, row.span()), errc::rma_sync, "get_on to rank");
  EXPECT_TRUE(w.signal_on(s, next, 0).ok()) << "which none needs: " << w.failure();
  auto epoch = w.lock_all();
  EXPECT_TRUE(w.put_on(s, next, disp{0}, row.span()).ok()) << w.failure();
  EXPECT_TRUE(s.synchronize());
  EXPECT_TRUE(epoch.end().ok()) << w.failure();
  ASSERT_TRUE(world().barrier().ok());
}

TEST_F(CheckedStreams, HaveBoundsWhenTheyAreEnqueued) {
  auto w = make();
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  const auto epoch = w.lock_all();
  expect_failure(w, w.put_on(s, world().next(), disp{91}, row.span()), errc::rma_range,
                 "which exposes 100");
  expect_failure(w, w.get_on(s, rank{7}, disp{0}, row.span()), errc::rank, "get_on");
}

// Of a graph nothing is known before it is launched.
TEST_F(CheckedStreams, OfAGraphNeedAnEpochAtEachLaunch) {
  auto w = make(made::device, assertion::shared_lock | assertion::multi_element);
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  row.fill(3);
  s.begin_capture();
  EXPECT_TRUE(w.put_on(s, world().me(), disp{0}, row.span()).ok()) << w.failure();
  void* const graph = s.end_capture();
  for (const bool open : {true, false, true}) {
    auto epoch = w.lock_all();
    w.put(world().me(), disp{0}, 0).or_throw();
    w.flush_all().or_throw();
    if (!open) epoch.end().or_throw();
    s.launch(graph);
    ASSERT_TRUE(s.synchronize());
    if (open) {
      EXPECT_EQ(w.get(world().me(), disp{0}), 3);
      EXPECT_TRUE(epoch.end().ok()) << w.failure();
      continue;
    }
    EXPECT_NE(w.first_failure().find("outside of any access epoch"), std::string::npos)
        << w.first_failure();
    w.clear_failure();
    const auto again = w.lock_all();
    EXPECT_EQ(w.get(world().me(), disp{0}), 0) << "what is refused is not performed";
  }
  program_stream::destroy(graph);
}

// An epoch is to stay open until the stream has passed what needs it.
TEST_F(CheckedStreams, EndAfterTheyHavePassed) {
  auto w = make();
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  const rank next = world().next();
  const std::array group{next};
  const auto leave = [&](auto end, const char* call) {
    w.wait_more_on(s, 0).or_throw();
    EXPECT_TRUE(w.put_on(s, next, disp{0}, row.span()).ok()) << w.failure();
    expect_failure(w, end(), errc::rma_sync,
                   std::string(call) + " before a stream has passed a put_on to rank " +
                       std::to_string(next.value));
    w.notify(world().me(), 0).or_throw();
    ASSERT_TRUE(s.synchronize());
    ASSERT_TRUE(world().barrier().ok());
  };
  {
    auto epoch = w.lock_all();
    leave([&] { return epoch.end(); }, "unlock_all");
  }
  {
    auto epoch = w.lock_shared(next);
    leave([&] { return epoch.end(); }, "unlock");
  }
  w.post(group).or_throw();
  {
    auto epoch = w.start(group);
    leave([&] { return epoch.end(); }, "complete");
  }
  w.wait().or_throw();
  // The epochs ended all the same, and all that was left is passed now.
  auto epoch = w.lock_all();
  EXPECT_TRUE(epoch.end().ok()) << w.failure();
  ASSERT_TRUE(world().barrier().ok());
}

// The stream comes to its get while the other rank's put is not complete.
TEST_F(CheckedStreams, ConflictWithWhatIsNotCompleteWhenTheyAreComeTo) {
  for (const made how : {made::device, made::managed, made::pinned}) {
    auto w = make(how);
    const program_stream s(device_of(w));
    program_buffer<std::int64_t> row(10, device_kind());
    row.fill(4);
    const auto epoch = w.lock_all();
    if (me() == 1) {
      w.put(rank{0}, disp{5}, 8).or_throw();
      ASSERT_TRUE(world().barrier().ok());
      ASSERT_TRUE(world().barrier().ok());
    } else {
      ASSERT_TRUE(world().barrier().ok());
      ::testing::internal::CaptureStderr();
      EXPECT_TRUE(w.get_on(s, rank{0}, disp{0}, row.span()).ok()) << w.failure();
      EXPECT_TRUE(s.synchronize()) << "it goes on";
      const std::string printed = ::testing::internal::GetCapturedStderr();
      EXPECT_EQ(printed.find("[rma_conflict]") != std::string::npos, how == made::device)
          << "once for a line: " << printed;
      expect_latched(w, errc::rma_conflict, "get_on to bytes [0, 80) of rank 0 overlaps a put of");
      EXPECT_EQ(row.read(), std::vector<std::int64_t>(10, 4)) << "and the get was not performed";
      ASSERT_TRUE(world().barrier().ok());
    }
    EXPECT_TRUE(w.flush_all().ok()) << w.failure();
    ASSERT_TRUE(world().barrier().ok());
  }
}

// Two ranks' streams, of which one is done before the other begins, and nothing tells it so. With a
// signal and the wait for it there is no conflict.
TEST_F(CheckedStreams, AreOrderedBySignalsAlone) {
  for (const bool signalled : {true, false}) {
    auto w = make();
    unseen_order words;
    const program_stream s(device_of(w));
    program_buffer<std::int64_t> row(10, device_kind());
    row.fill(me());
    const auto epoch = w.lock_all();
    ASSERT_TRUE(world().barrier().ok());
    if (me() == 1) {
      w.put_on(s, rank{0}, disp{0}, row.span()).or_throw();
      if (signalled) w.signal_on(s, rank{0}, 1).or_throw();
      ASSERT_TRUE(s.synchronize());
      words.tell();
    } else {
      words.await(1);
      if (signalled) w.wait_more_on(s, 1).or_throw();
      w.get_on(s, rank{0}, disp{0}, row.span()).or_throw();
      ASSERT_TRUE(s.synchronize());
      if (signalled)
        EXPECT_TRUE(w.flush_all().ok()) << w.failure();
      else
        expect_latched(w, errc::rma_conflict, "overlaps a put of rank 1 at");
    }
    ASSERT_TRUE(world().barrier().ok());
  }
}

// A signal on one stream says nothing of what the host has begun, nor a flush of the host's of what
// is left to a stream.
TEST_F(CheckedStreams, CompleteTheirOwnOperationsAlone) {
  auto w = make();
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  const auto epoch = w.lock_all();
  if (me() == 1) {
    w.put(rank{0}, disp{50}, 8).or_throw();
    w.signal_on(s, rank{0}, 1).or_throw();
    ASSERT_TRUE(s.synchronize());
    ASSERT_TRUE(world().barrier().ok());
    ASSERT_TRUE(world().barrier().ok());
  } else {
    ASSERT_TRUE(world().barrier().ok());
    w.wait_more_on(s, 1).or_throw();
    w.get_on(s, rank{0}, disp{50}, row.span()).or_throw();
    ASSERT_TRUE(s.synchronize());
    expect_latched(w, errc::rma_conflict, "overlaps a put of rank 1 at");
    ASSERT_TRUE(world().barrier().ok());
  }
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
  ASSERT_TRUE(world().barrier().ok());
}

// The host's put keeps its source until a flush.
TEST_F(CheckedStreams, WriteNoBufferThatAnOperationOfTheHostUses) {
  auto w = make();
  const program_stream s(device_of(w));
  program_buffer<std::int64_t> row(10, device_kind());
  const auto epoch = w.lock_all();
  const auto mine = 20 * static_cast<std::uint64_t>(me());
  w.put(world().next(), disp{mine}, std::span<const std::int64_t>(row.span())).or_throw();
  w.get_on(s, world().me(), disp{60}, row.span()).or_throw();
  ASSERT_TRUE(s.synchronize());
  expect_latched(w, errc::rma_conflict, "buffer of a get_on");
  // Complete by that flush, and so it may.
  w.get_on(s, world().me(), disp{60}, row.span()).or_throw();
  ASSERT_TRUE(s.synchronize());
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
  ASSERT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
