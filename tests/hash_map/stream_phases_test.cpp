// Phases of a hash map in the order of streams (ORIEL_TEST_KIND, with a test driver in the vendor's
// place), whose kernels are functions that the stream calls.
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <random>
#include <thread>

#include "oriel/hash_map.cuh"
#include "oriel/hash_map.hpp"
#include "tests/support/device_kernel.hpp"
#include "tests/support/seed.hpp"
#include "tests/win/program_stream.hpp"
#include "win/window_core.hpp"

namespace oriel::testing {
namespace {

using namespace std::chrono_literals;
using word = std::uint64_t;
using map_type = hash_map<word, word>;

constexpr word keys = 50;

hash_map_options in_devices() {
  hash_map_options o;
  o.name = "table";
  o.memory_kind = device_kind();
  return o;
}
// Where the memory of this rank's windows lies by itself.
int own_device() {
  auto w = window<word>::allocate(world(), 1, assertion::shared_lock, on(device_kind()));
  return w.any().view().core->devices.memory->device();
}

// A stream, and kernels in its order.
class working_stream {
 public:
  working_stream() : stream_(own_device()) {}
  ~working_stream() { EXPECT_TRUE(stream_.synchronize()); }
  working_stream(const working_stream&) = delete;
  working_stream& operator=(const working_stream&) = delete;

  operator device_stream() const { return stream_; }  // NOLINT: as a vendor's handle
  void kernel(std::function<void()> body) {
    bodies_.push_back(std::move(body));
    stream_.call([](void* b) { as_kernel(*static_cast<std::function<void()>*>(b)); },
                 &bodies_.back());
  }
  [[nodiscard]] bool synchronize() const { return stream_.synchronize(); }

 private:
  std::deque<std::function<void()>> bodies_;
  program_stream stream_;
};

TEST(HashMapStreams, PhasesFollowEachOtherAndNoHostWaits) {
  if (spans_nodes()) GTEST_SKIP() << "kernels do not reach other nodes";
  constexpr word rounds = 8;
  const auto seed = seed_or(5) + static_cast<unsigned>(me());
  std::mt19937_64 random(seed);
  map_type map(world(), 1000, in_devices());
  working_stream s;
  std::atomic<bool> enqueued{false};
  std::atomic<word> wrong{0};
  s.kernel([&] {
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (!enqueued && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(1ms);
    if (!enqueued) wrong = 1'000'000;
  });
  for (word round = 1; round <= rounds; ++round) {
    {
      auto p = map.insert_only_on(s);
      s.kernel([&wrong, table = p.ref(), late = std::chrono::milliseconds(random() % 8)] {
        std::this_thread::sleep_for(late);
        word before = 0;
        for (word k = 0; k < keys; ++k)
          if (table.fetch_add(k, 1, before) > slot_answer::present) ++wrong;
      });
      EXPECT_TRUE(p.end().ok()) << map.failure();
    }
    // It ends with the last object that has it.
    auto first = map.find_only_on(s);
    const auto p = std::move(first);
    EXPECT_EQ(catch_error([&] { static_cast<void>(first.ref()); }).code, errc::rma_sync);
    EXPECT_TRUE(first.end().ok()) << "which ends nothing";
    s.kernel([&wrong, table = p.ref(), expected = round * static_cast<word>(ranks())] {
      for (word k = 0; k < keys; ++k) {
        word value = 0;
        if (table.find(k, value) != slot_answer::present || value != expected) ++wrong;
      }
    });
  }
  enqueued = true;
  ASSERT_TRUE(s.synchronize());
  EXPECT_EQ(wrong, 0u) << "seed " << seed;
  auto p = map.find_only();
  EXPECT_EQ(p.find(3), rounds * static_cast<word>(ranks()));
  EXPECT_TRUE(p.end().ok()) << map.failure();
}

// Every rank erases what its neighbour has inserted, in the mixed phase between two others.
TEST(HashMapStreams, MixedPhasesAreOrderedWithTheOthers) {
  if (spans_nodes()) GTEST_SKIP() << "kernels do not reach other nodes";
  map_type map(world(), 1000, in_devices());
  working_stream s;
  std::atomic<word> wrong{0};
  const auto key = [](int of, word k) { return static_cast<word>(of) * keys + k; };
  const int next = world().next().value;
  for (word round = 1; round <= 4; ++round) {
    {
      auto p = map.insert_only_on(s);
      s.kernel([&, table = p.ref()] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3 * me()));
        for (word k = 0; k < keys; ++k)
          if (table.insert(key(me(), k), round) != slot_answer::absent) ++wrong;
      });
    }
    {
      auto p = map.mixed_on(s);
      s.kernel([&, table = p.ref()] {
        std::this_thread::sleep_for(std::chrono::milliseconds(3 * (ranks() - me())));
        for (word k = 0; k < keys; ++k)
          if (table.erase(key(next, k)) != slot_answer::present) ++wrong;
      });
    }
    auto p = map.find_only_on(s);
    s.kernel([&, table = p.ref()] {
      for (int r = 0; r < ranks(); ++r)
        for (word k = 0; k < keys; ++k) {
          word value = 0;
          if (table.find(key(r, k), value) != slot_answer::absent) ++wrong;
        }
    });
  }
  ASSERT_TRUE(s.synchronize());
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(map.size(), 0u);
}

TEST(HashMapStreams, PhasesAreOpenOneAtATime) {
  map_type map(world(), 1000, in_devices());
  working_stream s;
  {
    auto p = map.mixed_on(s);
    const thrown t = catch_error([&] { static_cast<void>(map.find_only_on(s)); });
    EXPECT_EQ(t.code, errc::rma_sync) << t.text;
    EXPECT_EQ(catch_error([&] { static_cast<void>(map.find_only()); }).code, errc::rma_sync);
    EXPECT_TRUE(p.end().ok()) << map.failure();
    EXPECT_EQ(catch_error([&] { static_cast<void>(p.ref()); }).code, errc::rma_sync);
    // Nothing, the second time: where rank 0 met the others once more, it would wait for them.
    if (me() == 0) {
      EXPECT_TRUE(p.end().ok());
    }
  }
  ASSERT_TRUE(s.synchronize());
  {
    auto p = map.find_only();
    EXPECT_EQ(catch_error([&] { static_cast<void>(map.mixed_on(s)); }).code, errc::rma_sync);
    EXPECT_TRUE(p.end().ok()) << map.failure() << ": the streams have met, all of them";
  }
  EXPECT_EQ(map.size(), 0u);
}

// With ORIEL_TIMEOUT=4: the others' streams go on without the last rank's, and their next phase of
// the host has the reason.
TEST(HashMapStreams, TellTheHostOfThoseThatWereLate) {
  const char* const patience = std::getenv("ORIEL_TIMEOUT");
  if (patience == nullptr || *patience != '4') GTEST_SKIP() << "it takes a limit";
  map_type map(world(), 1000, in_devices());
  working_stream s;
  const bool late = me() == ranks() - 1;
  {
    auto p = map.insert_only_on(s);
    if (late) s.kernel([] { std::this_thread::sleep_for(6s); });
    EXPECT_TRUE(p.end().ok()) << map.failure();
  }
  ASSERT_TRUE(s.synchronize());
  auto p = map.find_only();
  EXPECT_EQ(p.end().code(), late ? errc::success : errc::timed_out) << map.failure();
  if (!late) {
    EXPECT_NE(map.failure().find("table (streams)"), std::string::npos) << map.failure();
  }
}

TEST(HashMapStreams, TablesOfTheHostHaveNone) {
  map_type map(world(), 1000);
  const thrown t = catch_error([&] { static_cast<void>(map.insert_only_on(nullptr)); });
  EXPECT_EQ(t.code, errc::unsupported_kind);
  EXPECT_NE(t.text.find("memory_kind"), std::string::npos) << t.text;
}

}  // namespace
}  // namespace oriel::testing
