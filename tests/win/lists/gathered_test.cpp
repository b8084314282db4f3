// Windows whose operations are many and small (window_options::aggregate): what reaches ranks of
// other nodes, and owners of private memory of this one, when, in which order, and in how many
// messages. Where memory is mapped the promise changes nothing, and the same holds.
#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/seed.hpp"
#include "tests/win/lists/gathering.hpp"
#include "tests/win/lists/random_list.hpp"
#include "tests/win/lists/window_messages.hpp"

namespace oriel::testing {
namespace {

using namespace std::chrono_literals;

TEST(Gathered, PutsAreThereAfterAFlushAndTookFewMessages) {
  constexpr std::uint64_t n = 5000;
  auto w = gathering_window<simple>(n * static_cast<unsigned>(world().size()));
  const rank to = far_or_next();
  const auto first = n * static_cast<unsigned>(me());
  {
    auto epoch = w.lock_all();
    const sent_messages messages(w.any());
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(w.put(to, disp{first + i}, i + 7).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_LT(messages.count(), n / 20 + messages.most_early());
    std::vector<std::uint64_t> back(n);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_TRUE(w.get_nbi(to, disp{first + i}, back[i]).ok());
    ASSERT_TRUE(w.flush_local(to).ok());
    EXPECT_LT(messages.count(), n / 10 + messages.most_early());
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(back[i], i + 7);
  }
  meet();
}

TEST(Gathered, AllRanksFloodAllOthersAtOnce) {
  constexpr int n = 20000;
  auto w = gathering_window<simple>(64);
  const std::uint64_t s = seed_or(5) + static_cast<unsigned>(me());
  std::mt19937_64 random(s);
  std::vector<std::uint64_t> before(n);
  {
    auto epoch = w.lock_all();
    for (int i = 0; i < n; ++i) {
      const rank r{static_cast<int>(random() % static_cast<unsigned>(world().size()))};
      ASSERT_TRUE(w.add(r, disp{random() % 64}, 1).ok());
      ASSERT_TRUE(
          w.fetch_add_nbi(r, disp{random() % 64}, 1, before[static_cast<std::size_t>(i)]).ok());
    }
  }
  meet();
  std::uint64_t sum = 0;
  for (const std::uint64_t v : w.local()) sum += v;
  EXPECT_EQ(world().allreduce(sum, atomic_op::sum), 2u * n * static_cast<unsigned>(world().size()))
      << "seed " << s;
}

TEST(Gathered, AFetchSeesWhatWasAccumulatedBefore) {
  auto w = gathering_window<ordered>(8);
  const rank to = far_or_next();
  const disp mine{static_cast<std::uint64_t>(me())};
  if (me() < 8) {
    auto epoch = w.lock_all();
    for (std::uint64_t i = 1; i <= 200; ++i) {
      ASSERT_TRUE(w.add(to, mine, 1).ok());
      if (i % 50 == 0) {
        EXPECT_EQ(w.fetch_add(to, mine, 0), i);
      }
    }
    EXPECT_EQ(w.compare_swap(to, mine, 200, 3), 200u);
  }
  meet();
}

// In a window that orders accumulates none passes another, however each travels.
TEST(Gathered, LongAccumulatesDoNotPassShortOnes) {
  auto w = gathering_window<ordered>(64);
  const rank to = far_or_next();
  const std::uint64_t first = 8 * static_cast<unsigned>(me() % 8);
  {
    auto epoch = w.lock_all();
    for (std::uint64_t round = 1; round <= 50; ++round) {
      for (std::uint64_t i = 0; i < 8; ++i)
        ASSERT_TRUE(w.accumulate<atomic_op::replace>(to, disp{first + i}, 2 * round).ok());
      const std::vector<std::uint64_t> all(8, 2 * round + 1);
      ASSERT_TRUE(w.accumulate(atomic_op::replace, to, disp{first}, all).ok());
      if (round % 10 != 0) continue;
      ASSERT_TRUE(w.flush(to).ok());
      for (std::uint64_t i = 0; i < 8; ++i)
        ASSERT_EQ(w.get(to, disp{first + i}), 2 * round + 1) << "round " << round;
    }
  }
  meet();
}

// Without a promise of order either, a list that was flushed comes before what follows.
TEST(Gathered, ListsAndSingleOperationsMeetAtAFlush) {
  auto w = gathering_window<simple>(16);
  const rank to = far_or_next();
  const std::vector<rank> ranks(300, to);
  const std::vector<disp> disps(300, disp{static_cast<std::uint64_t>(me() % 16)});
  const std::vector<std::uint64_t> ones(300, 1);
  {
    auto epoch = w.lock_all();
    ASSERT_TRUE(w.accumulate(atomic_op::sum, ranks, disps, ones).ok());
    ASSERT_TRUE(w.add(to, disps[0], 1).ok());
    ASSERT_TRUE(w.flush(to).ok());
    EXPECT_EQ(w.fetch_add(to, disps[0], 0), 301u);
  }
  meet();
}

// The first leaves at once, and the others when they are old and somebody makes progress.
TEST(Gathered, WhatIsNotFlushedArrivesWhileItsOriginWaits) {
  auto w = gathering_window<simple>(8 * static_cast<std::uint64_t>(world().size()));
  const rank to = far_or_next();
  auto epoch = w.lock_all();
  const auto slots_of = [](int r) { return 8 * static_cast<std::uint64_t>(r); };
  for (std::uint64_t i = 0; i < 5; ++i)
    ASSERT_TRUE(w.put(to, disp{slots_of(me()) + i}, 10 + i).ok());
  // Waits, and so makes progress, until its own values have arrived from all that send them.
  const auto until = std::chrono::steady_clock::now() + 20s;
  const auto arrived = [&] {
    for (int r = 0; r < world().size(); ++r)
      for (std::uint64_t i = 0; i < 5 && target_of(rank{r}) == rank{me()}; ++i)
        if (std::atomic_ref(w.local()[slots_of(r) + i]).load() != 10 + i) return false;
    return true;
  };
  std::uint64_t all = 0;
  while (all == 0 && std::chrono::steady_clock::now() < until) {
    std::uint64_t here = arrived() ? 1 : 0;
    all = world().allreduce(here, atomic_op::min);
  }
  EXPECT_EQ(all, 1u) << "values that nobody flushed never arrived";
  ASSERT_TRUE(epoch.end().ok());
  meet();
}

// With more ranks than cores it soon sleeps as it waits.
TEST(Gathered, WhatIsNotFlushedArrivesThoughItsOriginFallsAsleep) {
  auto w = gathering_window<simple>(1);
  const rank to = target_of(rank{0});
  for (int round = 1; round <= 5; ++round) {
    auto epoch = w.lock_all();
    if (me() == 0) {
      ASSERT_TRUE(w.add(to, disp{0}, 1).ok());
      ASSERT_TRUE(w.add(to, disp{0}, 1).ok());
    }
    const auto until = std::chrono::steady_clock::now() + 10s;
    const auto here = [&] { return std::atomic_ref(w.local()[0]).load(); };
    const auto all = 2u * static_cast<unsigned>(round);
    while (rank{me()} == to && here() < all && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(1ms);
    if (rank{me()} == to) {
      EXPECT_EQ(here(), all) << "round " << round;
    }
    meet();
    ASSERT_TRUE(epoch.end().ok());
    meet();
  }
}

TEST(Gathered, LittleMemoryIsEnough) {
  const scoped_variable little("ORIEL_AGGREGATE_BYTES", "65536");
  constexpr std::uint64_t n = 3000;
  auto w = gathering_window<simple>(n + 1);
  std::mt19937_64 random(static_cast<unsigned>(me()) + 1);
  std::vector<std::uint64_t> results(n);
  {
    auto epoch = w.lock_all();
    for (std::uint64_t i = 0; i < n; ++i) {
      const rank r{static_cast<int>(random() % static_cast<unsigned>(world().size()))};
      ASSERT_TRUE(w.add(r, disp{i}, 1).ok()) << w.failure();
      ASSERT_TRUE(w.get_nbi(r, disp{n}, results[i]).ok()) << w.failure();
      ASSERT_TRUE(w.fetch_add_nbi(r, disp{i}, 1, results[i]).ok()) << w.failure();
    }
  }
  meet();
  std::uint64_t sum = 0;
  for (const std::uint64_t v : w.local()) sum += v;
  EXPECT_EQ(world().allreduce(sum, atomic_op::sum), 2 * n * static_cast<unsigned>(world().size()));
}

TEST(Gathered, RefusedOperationsLoseNoOther) {
  auto w = gathering_window<simple>(4);
  const rank to = far_or_next();
  if (knows_what_is_exposed(to)) {
    auto epoch = w.lock_all();
    ASSERT_TRUE(w.add(to, disp{1}, 1).ok());
    EXPECT_EQ(w.put(to, disp{4}, 1).code(), errc::rma_range);
    EXPECT_NE(w.failure().find("rank " + std::to_string(to.value)), std::string::npos);
    ASSERT_TRUE(w.add(to, disp{1}, 1).ok());
    w.clear_failure();
    EXPECT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_GE(w.fetch_add(to, disp{1}, 0), 2u);
  }
  meet();
}

TEST(Gathered, NotificationsComeBehindTheirPut) {
  auto w = gathering_window<simple | assertion::notify>(8);
  const rank to = world().next();
  {
    auto epoch = w.lock_all();
    for (std::uint64_t i = 1; i <= 30; ++i) {
      ASSERT_TRUE(w.put_notify(to, disp{1}, i, 0).ok());
      ASSERT_TRUE(w.wait_notify(0, i).ok());
      EXPECT_GE(std::atomic_ref(w.local()[1]).load(), i);
    }
  }
  meet();
}

TEST(Gathered, IsAHintAndAVariableToo) {
  window_options hinted;
  hinted.hints.set("oriel_aggregate", "true");
  auto w = window<int, assertion_set(assertion::shared_lock)>::allocate(world(), 1, hinted);
  EXPECT_EQ(w.hints().get("oriel_aggregate"), "true");
  {
    const scoped_variable everywhere("ORIEL_AGGREGATE", "1");
    auto x = window<int, assertion_set(assertion::shared_lock)>::allocate(world(), 1);
    EXPECT_EQ(x.hints().get("oriel_aggregate"), "true");
  }
  hinted.hints.set("oriel_aggregate", "maybe");
  const auto refused = catch_error([&] {
    auto y = window<int, assertion_set(assertion::shared_lock)>::allocate(world(), 1, hinted);
  });
  EXPECT_EQ(refused.code, errc::info);
  EXPECT_NE(refused.text.find("maybe"), std::string::npos) << refused.text;
}

TEST(Gathered, ThreadsOfARankShareItsPackets) {
  auto w = gathering_window<simple>(8);
  constexpr int threads = 3, n = 3000;
  {
    auto epoch = w.lock_all();
    std::vector<std::thread> all;
    std::atomic<int> failed{0};
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        std::mt19937_64 random(static_cast<unsigned>(t + 10 * me()));
        std::uint64_t before = 0;
        for (int i = 0; i < n; ++i) {
          const rank r{static_cast<int>(random() % static_cast<unsigned>(world().size()))};
          if (!w.add(r, disp{2}, 1).ok()) ++failed;
          if (i % 100 == 0 && !w.flush(r).ok()) ++failed;
          if (i % 300 == 0 && !w.fetch_add_nbi(r, disp{3}, 1, before).ok()) ++failed;
          if (i % 300 == 0 && !w.flush_all().ok()) ++failed;
        }
      });
    for (std::thread& t : all) t.join();
    EXPECT_EQ(failed, 0) << w.first_failure();
  }
  meet();
  EXPECT_EQ(world().allreduce(w.local()[2], atomic_op::sum),
            static_cast<std::uint64_t>(threads) * n * static_cast<unsigned>(world().size()));
}

// --- Words of windows of bytes, which interfaces over windows are made of

// So many for each rank of the team.
any_window window_of_bytes(std::size_t bytes, assertion_set more = {}) {
  return gathering_bytes(bytes * static_cast<unsigned>(world().size()),
                         simple | assertion::multi_element | assertion::user_datatype | more);
}

disp mine(std::size_t each, std::size_t i) {
  return disp{each * static_cast<unsigned>(me()) + i};
}

TEST(Gathered, WordsOfWindowsOfBytesGatherToo) {
  constexpr std::size_t n = 3000, each = 8 * n + 8;
  any_window w = window_of_bytes(each);
  const rank to = far_or_next();
  ASSERT_TRUE(w.lock_all().ok());
  const sent_messages messages(w);
  // At any address: this node's neighbour of one word is another's.
  for (const std::size_t shift : {std::size_t{0}, std::size_t{3}}) {
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t value = (i + shift) * 0x0101010101u;
      ASSERT_TRUE(w.put(to, mine(each, shift + 8 * i), &value, 8).ok());
    }
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    std::vector<std::uint64_t> back(n);
    for (std::uint64_t i = 0; i < n; ++i)
      ASSERT_TRUE(w.get(to, mine(each, shift + 8 * i), &back[i], 8).ok());
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(back[i], (i + shift) * 0x0101010101u) << i;
  }
  EXPECT_LT(messages.count(), n / 10 + messages.most_early());
  ASSERT_TRUE(w.unlock_all().ok());
  meet();
  w.free().or_throw();
}

TEST(Gathered, RunsOfEveryLengthAreThereAfterAFlush) {
  constexpr std::size_t longest = 17, each = longest * longest;
  any_window w = window_of_bytes(each);
  const rank to = far_or_next();
  ASSERT_TRUE(w.lock_all().ok());
  std::vector<std::uint8_t> sent(each), back(each);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<std::uint8_t>(i + 1);
  for (std::size_t n = 1; n <= longest; ++n)
    ASSERT_TRUE(w.put(to, mine(each, (n - 1) * longest), &sent[(n - 1) * longest], n).ok());
  ASSERT_TRUE(w.flush(to).ok()) << w.failure();
  for (std::size_t n = 1; n <= longest; ++n)
    ASSERT_TRUE(w.get(to, mine(each, (n - 1) * longest), &back[(n - 1) * longest], n).ok());
  ASSERT_TRUE(w.flush(to).ok()) << w.failure();
  for (std::size_t i = 0; i < sent.size(); ++i)
    ASSERT_EQ(back[i], i % longest <= i / longest ? sent[i] : 0) << i;
  ASSERT_TRUE(w.unlock_all().ok());
  meet();
  w.free().or_throw();
}

// Of a primitive that the call names, before and behind such as travel alone.
TEST(Gathered, ElementsThatTheCallNamesAreAccumulatedInOrder) {
  constexpr std::size_t n = 400, each = 4 * n;
  any_window w = window_of_bytes(each, assertion::ordered_accumulate);
  const rank to = far_or_next();
  ASSERT_TRUE(w.lock_all().ok());
  const sent_messages messages(w);
  std::vector<std::int32_t> seen(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto value = static_cast<std::int32_t>(i);
    ASSERT_TRUE(
        w.accumulate(atomic_op::replace, primitive::int32, to, mine(each, 4 * i), &value, 1).ok());
    ASSERT_TRUE(w.get_accumulate(atomic_op::sum, primitive::int32, to, mine(each, 4 * i), &value,
                                 &seen[i], 1)
                    .ok());
  }
  ASSERT_TRUE(w.flush(to).ok()) << w.failure();
  EXPECT_LT(messages.count(), n / 4 + messages.most_early());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(seen[i], static_cast<std::int32_t>(i));
  const std::array<float, 3> many{1.5F, 2.5F, 3.5F};
  const float one = 7;
  float fetched = 0;
  ASSERT_TRUE(
      w.accumulate(atomic_op::replace, primitive::float32, to, mine(each, 4), many.data(), 3).ok());
  ASSERT_TRUE(w.accumulate(atomic_op::sum, primitive::float32, to, mine(each, 8), &one, 1).ok());
  ASSERT_TRUE(
      w.accumulate(atomic_op::sum, primitive::float32, to, mine(each, 4), many.data(), 3).ok());
  ASSERT_TRUE(
      w.fetch_op(atomic_op::no_op, primitive::float32, to, mine(each, 8), nullptr, &fetched).ok());
  EXPECT_EQ(fetched, 2.5F + 7 + 2.5F);
  const std::int32_t expected = 3, desired = 30;
  std::int32_t found = 0;
  const std::int32_t set = 3;
  ASSERT_TRUE(w.accumulate(atomic_op::replace, primitive::int32, to, mine(each, 0), &set, 1).ok());
  ASSERT_TRUE(
      w.compare_swap(primitive::int32, to, mine(each, 0), &expected, &desired, &found).ok());
  EXPECT_EQ(found, 3);
  ASSERT_TRUE(
      w.fetch_op(atomic_op::no_op, primitive::int32, to, mine(each, 0), nullptr, &found).ok());
  EXPECT_EQ(found, 30);
  ASSERT_TRUE(w.unlock_all().ok());
  meet();
  w.free().or_throw();
}

TEST(Gathered, AWordThatReachesBeyondTheEndIsRefused) {
  const rank to = far_or_next();
  if (!knows_what_is_exposed(to)) GTEST_SKIP() << "nothing is tested, or by the owner";
  any_window w = window_of_bytes(16);
  const std::uint64_t last = w.local_count() - 8;
  ASSERT_TRUE(w.lock_all().ok());
  const std::uint64_t value = ~std::uint64_t{0};
  EXPECT_TRUE(w.put(to, disp{last}, &value, 8).ok());
  EXPECT_EQ(w.put(to, disp{last + 1}, &value, 8).code(), errc::rma_range);
  EXPECT_EQ(w.accumulate(atomic_op::sum, primitive::int64, to, disp{last + 4}, &value, 1).code(),
            errc::rma_range);
  EXPECT_EQ(w.unlock_all().code(), errc::rma_range);
  meet();
  for (std::uint64_t i = 0; i < last; ++i) EXPECT_EQ(w.local()[i], std::byte{0});
  EXPECT_EQ(w.free().code(), errc::rma_range) << "it is reported at the end, too";
}

}  // namespace
}  // namespace oriel::testing
