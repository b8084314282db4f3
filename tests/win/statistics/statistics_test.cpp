// What a window counts, exactly, for programs of which each operation is known: on one node and
// between nodes, by one thread and by several.
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "tests/win/statistics/single_elements.hpp"

namespace oriel::testing {
namespace {

using namespace std::chrono_literals;
using word = std::uint64_t;
using tally = window_statistics::tally;

constexpr assertion_set promise = assertion::shared_lock | assertion::exclusive_lock |
                                  assertion::fence | assertion::pscw | assertion::multi_element |
                                  assertion::notify | assertion::local_load_store;

window<word> at_run_time_window(std::size_t count = 64) {
  window_options o;
  o.name = "counted";
  return window<word>::allocate(world(), count, promise, o);
}
bool is_far(rank r) {
  return world().shared_state()->node_of(r.value) != world().shared_state()->node_of(me());
}
word by_sizes(const window_statistics& s) {
  return std::accumulate(s.by_size.begin(), s.by_size.end(), word{0});
}
std::array<word, 2> two{1, 2};
word sum_of(word mine) {
  std::vector<word> all(static_cast<std::size_t>(ranks()));
  EXPECT_TRUE(world().allgather_bytes(&mine, sizeof mine, all.data()).ok());
  return std::accumulate(all.begin(), all.end(), word{0});
}
void meet() {
  ASSERT_TRUE(world().barrier().ok());
}

TEST(Statistics, CountEachKindWithItsBytes) {
  auto w = at_run_time_window();
  const rank to = world().next();
  std::vector<word> several(16), back(16);
  {
    auto epoch = w.lock_all();
    for (word i = 0; i < 5; ++i) ASSERT_TRUE(w.put(to, disp{i}, i).ok());
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(w.put(to, disp{0}, std::span<const word>(several)).ok());
    ASSERT_TRUE(w.flush(to).ok());
    word found = 0;
    for (word i = 0; i < 2; ++i) ASSERT_TRUE(w.get(to, disp{i}, found).ok());
    ASSERT_TRUE(w.get(to, disp{0}, std::span<word>(back)).ok());
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(w.add(to, disp{0}, 1).ok());
    for (int i = 0; i < 6; ++i) w.fetch_add(to, disp{0}, 1);
    for (int i = 0; i < 7; ++i) w.compare_swap(to, disp{1}, 0, 1);
    ASSERT_TRUE(w.accumulate(atomic_op::sum, to, disp{0}, std::span<const word>(several)).ok());
    ASSERT_TRUE(w.flush(to).ok());
  }
  const window_statistics s = w.statistics();
  const word one = counts_words() ? 1 : 0;
  EXPECT_EQ(s.of(operation_kind::put), (tally{one * 5 + 3, one * 5 * 8 + 3 * 128}));
  EXPECT_EQ(s.of(operation_kind::get), (tally{one * 2 + 1, one * 2 * 8 + 128}));
  EXPECT_EQ(s.of(operation_kind::accumulate), (tally{one * 4 + 1, one * 4 * 8 + 128}));
  EXPECT_EQ(s.of(operation_kind::fetch_op), (tally{one * 6, one * 6 * 8}));
  EXPECT_EQ(s.of(operation_kind::compare_swap), (tally{one * 7, one * 7 * 8}));
  EXPECT_EQ(s.by_size[0], one * (5 + 2 + 4 + 6 + 7));
  EXPECT_EQ(s.by_size[2], 3u + 1 + 1) << "of 65 to 512 bytes";
  EXPECT_EQ(by_sizes(s), s.total().operations);
  const access_route by = ranks() == 1 ? access_route::self
                          : is_far(to) ? access_route::fabric
                                       : access_route::load_store;
  EXPECT_EQ(s.of(by), s.total()) << w.explain();
  meet();
}

TEST(Statistics, LeaveOutSingleElementsOfMappedMemory) {
  constexpr assertion_set simple = assertion::shared_lock | assertion::local_load_store;
  auto w = window<word, simple>::allocate(world(), 8);
  auto epoch = w.lock_all();
  ASSERT_TRUE(w.put(rank{me()}, disp{0}, 1).ok());
  w.fetch_add(rank{me()}, disp{0}, 1);
  const bool looks_up = checking();  // whose operations all call the table, and are looked up
  EXPECT_EQ(w.statistics().total().operations, looks_up ? 2u : 0u);
}

TEST(Statistics, LeaveOutWhatIsRefused) {
  auto w = window<word>::allocate(world(), 8, assertion_set(assertion::shared_lock));
  auto epoch = w.lock_all();
  std::vector<word> several(4);
  EXPECT_EQ(w.put(rank{me()}, disp{0}, std::span<const word>(several)), errc::not_asserted);
  EXPECT_EQ(w.statistics().total(), tally{});
  w.clear_failure();
}

TEST(Statistics, CountTheElementsOfLists) {
  auto w = at_run_time_window(16);
  const rank to = world().next();
  constexpr std::size_t n = 100;
  std::vector<rank> whom(n, to);
  std::vector<disp> where(n);
  std::vector<word> values(n, 1), found(n);
  for (std::size_t i = 0; i < n; ++i) where[i] = disp{i % 16};
  {
    auto epoch = w.lock_all();
    ASSERT_TRUE(w.scatter(whom, where, values).ok());
    ASSERT_TRUE(w.accumulate(atomic_op::sum, whom, where, values).ok());
    ASSERT_TRUE(w.gather(whom, where, found).ok());
    ASSERT_TRUE(w.flush(to).ok());
  }
  const window_statistics s = w.statistics();
  for (const auto k : {operation_kind::put, operation_kind::accumulate, operation_kind::get})
    EXPECT_EQ(s.of(k), (tally{n, n * 8})) << name(k);
  // A rank may send what its neighbours have begun, too: all that was begun left in some message.
  const word far = is_far(to) && !checking() ? 3 * n : 0;
  EXPECT_EQ(s.of(access_route::packet).operations, far);
  meet();
  const window_statistics later = w.statistics();
  EXPECT_EQ(sum_of(later.packed), sum_of(far));
  EXPECT_LE(later.packets, later.packed);
  EXPECT_EQ(later.packets == 0, later.packed == 0);
  if (later.packets != 0) {
    EXPECT_NE(w.explain().find("so far " + std::to_string(later.packed) + " in " +
                               std::to_string(later.packets) + " messages"),
              std::string::npos)
        << w.explain();
  }
  meet();
}

// Its elements are entries of the packet.
TEST(Statistics, CountAnAccumulateOfSeveralElementsInAPacketOnce) {
  window_options gathers;
  gathers.aggregate = true;
  auto w = window<word>::allocate(world(), 64, promise | assertion::user_datatype, gathers);
  const rank to = world().next();
  constexpr word n = 500;
  const std::vector<word> several(16, 1);
  const auto one = datatype::of<word>();
  const shape eight{one, 8}, apart{datatype::vector(8, 1, 2, one), 1};
  {
    auto epoch = w.lock_all();
    for (word i = 0; i < n; ++i) {
      ASSERT_TRUE(
          w.accumulate(atomic_op::sum, to, disp{i % 8}, std::span<const word>(several)).ok());
      ASSERT_TRUE(w.put(to, disp{32}, several.data(), eight, apart).ok());
    }
    ASSERT_TRUE(w.flush(to).ok());
  }
  const word far = is_far(to) && !checking() ? 2 * n : 0;
  EXPECT_EQ(w.statistics().of(access_route::packet).operations, far);
  meet();
  EXPECT_EQ(sum_of(w.statistics().packed), sum_of(far));
  meet();
}

TEST(Statistics, CountNotifiedPuts) {
  auto w = at_run_time_window(16);
  {
    auto epoch = w.lock_all();
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(w.put_notify(world().next(), disp{0}, word{3}, 0).ok());
    ASSERT_TRUE(w.wait_notify(0, 9).ok());
    ASSERT_TRUE(w.flush_all().ok());
  }
  EXPECT_EQ(w.statistics().of(operation_kind::put_notify), (tally{9, 9 * 8}));
  EXPECT_EQ(w.statistics().total(), (tally{9, 9 * 8})) << "what they bring is no put besides";
  meet();
}

TEST(Statistics, CountMessagesOfOneOperationToOtherNodes) {
  const rank far{(me() + job().node().size()) % ranks()};
  auto w = at_run_time_window(64);
  auto epoch = w.lock_all();
  const std::vector<word> several(16);
  word found = 0;
  for (word i = 0; i < 5; ++i) ASSERT_TRUE(w.put(far, disp{i}, i).ok());
  ASSERT_TRUE(w.put(far, disp{8}, std::span<const word>(several)).ok());
  ASSERT_TRUE(w.flush(far).ok());
  for (word i = 0; i < 2; ++i) ASSERT_TRUE(w.get(far, disp{i}, found).ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(w.add(far, disp{40}, 1).ok());
  w.fetch_add(far, disp{40}, 1);
  w.compare_swap(far, disp{41}, 0, 1);
  ASSERT_TRUE(w.put_notify(far, disp{42}, word{3}, 0).ok());
  ASSERT_TRUE(w.flush_all().ok());
  const window_statistics s = w.statistics();
  EXPECT_EQ(s.messages, is_far(far) ? s.total().operations : 0) << "not what flushes ask";
  EXPECT_EQ(s.packets, 0u);
  meet();
}

TEST(Statistics, CountANotifiedPutOfSeveralElementsOnce) {
  auto w = at_run_time_window(4096);
  const std::vector<word> short_row(7, 1), long_row(4096, 2);
  const rank far{(me() + job().node().size()) % ranks()};
  word begun = 0;
  auto epoch = w.lock_all();
  for (const rank to : {rank{me()}, world().next(), far})
    for (const auto* row : {&short_row, &long_row}) {
      ASSERT_TRUE(w.put(to, disp{0}, std::span<const word>(short_row)).ok());
      ASSERT_TRUE(w.put_notify(to, disp{0}, std::span<const word>(*row), 0).ok());
      begun += row->size() * sizeof(word);
    }
  ASSERT_TRUE(w.flush_all().ok());
  const window_statistics s = w.statistics();
  EXPECT_EQ(s.of(operation_kind::put_notify), (tally{6, begun}));
  EXPECT_EQ(s.of(operation_kind::put), (tally{6, 6 * 56}));
  EXPECT_EQ(by_sizes(s), s.total().operations);
  meet();
}

TEST(Statistics, LeaveOutOperationsOfNoElements) {
  auto w = at_run_time_window(8);
  auto epoch = w.lock_all();
  for (const rank to : {rank{me()}, world().next()}) {
    ASSERT_TRUE(w.put(to, disp{0}, std::span<const word>()).ok());
    ASSERT_TRUE(w.get(to, disp{0}, std::span<word>()).ok());
  }
  ASSERT_TRUE(w.flush_all().ok());
  EXPECT_EQ(w.statistics().total(), tally{});
}

TEST(Statistics, AreExactForThreadsAtOnceAndAfterEachOther) {
  auto w = at_run_time_window(64);
  constexpr int rounds = 3, threads = 4;
  constexpr word each = 500;
  auto epoch = w.lock_all();
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&w, t] {
        for (word i = 0; i < each; ++i)
          static_cast<void>(
              w.put(rank{me()}, disp{2 * static_cast<word>(t)}, std::span<const word>(two)));
      });
    for (std::thread& t : all) t.join();
  }
  EXPECT_EQ(w.statistics().of(operation_kind::put),
            (tally{rounds * threads * each, rounds * threads * each * 16}));
}

TEST(Statistics, OfAWindowThatIsClosedAreZeros) {
  auto w = at_run_time_window(4);
  auto epoch = std::make_optional(w.lock_all());
  ASSERT_TRUE(w.put(rank{me()}, disp{0}, std::span<const word>(two)).ok());
  epoch.reset();
  EXPECT_EQ(w.statistics().total().operations, 1u);
  ASSERT_TRUE(w.free().ok());
  EXPECT_EQ(w.statistics().total(), tally{});
}

TEST(Statistics, StartAtZeroInMemoryOfAnEarlierWindow) {
  for (int i = 0; i < 20; ++i) {
    auto w = at_run_time_window(4);
    auto epoch = w.lock_all();
    ASSERT_TRUE(w.put(rank{me()}, disp{0}, std::span<const word>(two)).ok());
    ASSERT_EQ(w.statistics().total().operations, 1u) << "window " << i;
  }
}

// --- Retries

TEST(Statistics, CountWhatWasTriedAgainSinceTheProviderWasBusy) {
  if (std::getenv("STRICT_PROVIDER_REFUSES") == nullptr)
    GTEST_SKIP() << "the provider takes what it gets";
  const rank there{(me() + job().node().size()) % ranks()};
  auto w = at_run_time_window(64);
  auto other = at_run_time_window(64);
  std::vector<word> many(64, 7), back(64);
  auto epoch = w.lock_all();
  auto untouched = other.lock_all();
  const word opening = other.statistics().retries;
  for (int i = 0; i < 16; ++i) ASSERT_TRUE(w.put(there, disp{0}, std::span<const word>(many)).ok());
  ASSERT_TRUE(w.flush(there).ok());
  const word puts = w.statistics().retries;
  EXPECT_GE(puts, 8u) << "of 16, less those before which a message of the session was refused";
  ASSERT_TRUE(w.get(there, disp{0}, std::span<word>(back)).ok());
  word before = 0;
  ASSERT_TRUE(w.compare_swap(there, disp{0}, word{1}, word{2}, before).ok());
  ASSERT_TRUE(w.put_notify(there, disp{0}, word{3}, 0).ok());
  ASSERT_TRUE(w.flush(there).ok());
  EXPECT_GT(w.statistics().retries, puts);
  EXPECT_EQ(other.statistics().retries, opening);
  meet();
}

TEST(Statistics, CountNoRetriesOnANode) {
  if (spans_nodes()) GTEST_SKIP() << "several nodes";
  auto w = at_run_time_window();
  auto epoch = w.lock_all();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(w.put(world().next(), disp{0}, std::span<const word>(two)).ok());
  ASSERT_TRUE(w.flush_all().ok());
  EXPECT_EQ(w.statistics().retries, 0u);
}

// --- Waits

TEST(Statistics, TellHowLongAFenceWaited) {
  if (ranks() == 1) GTEST_SKIP() << "nobody to wait for";
  auto w = at_run_time_window(4);
  ASSERT_TRUE(w.fence().ok());
  meet();
  const auto before = w.statistics().of(wait_cause::fence);
  if (me() == 0) std::this_thread::sleep_for(60ms);
  ASSERT_TRUE(w.fence().ok());
  const auto after = w.statistics().of(wait_cause::fence);
  if (me() == 0) return;
  EXPECT_GT(after.times, before.times);
  EXPECT_GE(after.time - before.time, 30ms);
  EXPECT_LT(after.time - before.time, 30s);
}

TEST(Statistics, TellHowLongALockWaited) {
  if (ranks() == 1) GTEST_SKIP() << "nobody holds it";
  auto w = at_run_time_window(4);
  if (me() == 0) {
    auto held = w.lock_exclusive(rank{0});
    meet();
    std::this_thread::sleep_for(60ms);
  } else {
    meet();
    auto waited = w.lock_exclusive(rank{0});
    ASSERT_TRUE(waited.opened().ok());
    EXPECT_GE(w.statistics().of(wait_cause::lock).time, 20ms);
  }
  meet();
  EXPECT_EQ(w.statistics().total(), tally{});
}

TEST(Statistics, TellHowLongANotificationWasWaitedFor) {
  if (ranks() == 1) GTEST_SKIP() << "nobody to wait for";
  auto w = at_run_time_window(4);
  auto epoch = w.lock_all();
  meet();
  if (me() == 0) {
    std::this_thread::sleep_for(60ms);
    for (int r = 1; r < ranks(); ++r) ASSERT_TRUE(w.put_notify(rank{r}, disp{0}, word{1}, 0).ok());
    ASSERT_TRUE(w.flush_all().ok());
    EXPECT_EQ(w.statistics().of(wait_cause::notification).times, 0u);
  } else {
    ASSERT_TRUE(w.wait_notify(0, 1).ok());
    EXPECT_EQ(w.statistics().of(wait_cause::notification).times, 1u);
    EXPECT_GE(w.statistics().of(wait_cause::notification).time, 30ms);
  }
  meet();
}

TEST(Statistics, TellHowLongStartAndWaitTook) {
  if (ranks() != 2) GTEST_SKIP() << "two ranks";
  auto w = at_run_time_window(4);
  const std::vector<rank> other{rank{1 - me()}};
  meet();
  if (me() == 0) {
    std::this_thread::sleep_for(60ms);
    ASSERT_TRUE(w.post(other).ok());
    ASSERT_TRUE(w.wait().ok());
    EXPECT_GE(w.statistics().of(wait_cause::wait).time, 30ms);
  } else {
    auto epoch = w.start(other);
    EXPECT_GE(w.statistics().of(wait_cause::start).time, 30ms);
    std::this_thread::sleep_for(60ms);
  }
  meet();
}

}  // namespace
}  // namespace oriel::testing
