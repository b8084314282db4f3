// queue: elements that are pushed are popped once, in the order of their part, whoever works on it.
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oriel/queue.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
using words = std::vector<word>;

words from(word first, word n) {
  words v(n);
  std::iota(v.begin(), v.end(), first);
  return v;
}
word count() {
  return static_cast<word>(ranks());
}
word mine() {
  return static_cast<word>(me());
}
rank next() {
  return rank{(me() + 1) % ranks()};
}
word on_all(word w) {
  return world().allreduce(w, atomic_op::sum);
}
word mixed_bits(word w) {
  return detail::mix(w);
}
// Two multisets of a few thousand elements have the same sum when they are the same.
word sum(std::span<const word> elements) {
  word s = 0;
  for (const word e : elements) s += mixed_bits(e);
  return s;
}
// Pops everything there is, wherever.
template <class Phase>
words drain(Phase& p, std::size_t batch) {
  words all, some(batch);
  for (;;) {
    const auto r = p.pop(some);
    EXPECT_TRUE(r.outcome.ok());
    all.insert(all.end(), some.begin(), some.begin() + static_cast<std::ptrdiff_t>(r.count));
    if (r.count < batch) return all;
  }
}

TEST(Queue, IsFirstInFirstOutInEveryPart) {
  queue<word> q(world(), 100);
  EXPECT_EQ(q.capacity_per_rank(), 100u);
  for (word round = 0; round < 5; ++round) {  // past the end of the slots
    {
      auto p = q.push_only();
      EXPECT_EQ(p.push(next(), from(round, 40)).count, 40u);
      EXPECT_EQ(p.push(next(), round + 40).count, 1u);
      EXPECT_EQ(p.push(next(), from(round + 41, 29)).count, 29u);
    }
    EXPECT_EQ(q.size(), 70 * count());
    auto p = q.pop_only();
    words v(50);
    EXPECT_EQ(p.pop(world().me(), v).count, 50u);
    EXPECT_EQ(v, from(round, 50));
    word one = 0;
    EXPECT_EQ(p.pop(world().me(), one).count, 1u);
    EXPECT_EQ(one, round + 50);
    EXPECT_EQ(p.pop(world().me(), v).count, 19u);
    v.resize(19);
    EXPECT_EQ(v, from(round + 51, 19));
  }
  EXPECT_EQ(q.size(), 0u);
}

TEST(Queue, SharesBatchesOutAndPopsFromAll) {
  const word n = checking() ? 300 : 3000;
  queue<word> q(world(), n + 1);
  const words pushed = from(mine() << 32, n);
  {
    auto p = q.push_only();
    const auto r = p.push(pushed);
    EXPECT_TRUE(r.outcome.ok()) << q.failure();
    EXPECT_EQ(r.count, n);
  }
  {
    auto p = q.pop_only();
    words own(n + 1);
    own.resize(p.pop(world().me(), own).count);
    EXPECT_GT(own.size(), n - count() - 1) << "every rank has its share";
    EXPECT_LT(own.size(), n + count() + 1);
    EXPECT_TRUE(p.end().ok());
    EXPECT_EQ(on_all(sum(own)), on_all(sum(pushed)));
  }
  for (const std::size_t batch : {std::size_t{1}, std::size_t{64}, std::size_t{5000}}) {
    q.push_only().push(rank{0}, std::span(pushed).first(n / count())).outcome.or_throw();
    auto p = q.pop_only();
    const words popped = drain(p, batch);
    EXPECT_TRUE(p.end().ok());
    EXPECT_EQ(on_all(popped.size()), n / count() * count()) << "batches of " << batch;
    EXPECT_EQ(on_all(sum(popped)), on_all(sum(std::span(pushed).first(n / count()))));
  }
}

// The same of a phase in which all push, and of a mixed one.
template <class Open>
void push_until_full(queue<word>& q, Open open) {
  q.clear();
  word pushed = 0;
  {
    auto p = open();
    for (int i = 0; i < 3; ++i) {
      const auto r = p.push(rank{0}, from(mine() * 8, 4));
      EXPECT_TRUE(r.outcome.ok()) << "full is no failure";
      pushed += r.count;
    }
  }
  EXPECT_EQ(on_all(pushed), ranks() == 1 ? 12u : 13u);
  EXPECT_EQ(q.size(), ranks() == 1 ? 12u : 13u);
  {
    auto p = open();
    const auto r = p.push(from(1000, 30));
    EXPECT_TRUE(r.outcome.ok());
    pushed += r.count;
    EXPECT_TRUE(p.end().ok());
    EXPECT_EQ(on_all(pushed), 13 * count()) << "what one part has no room for goes to the others";
  }
  {
    auto p = open();
    EXPECT_EQ(p.push(1).count, 0u);
    EXPECT_EQ(p.push(next(), 1).count, 0u);
  }
  EXPECT_EQ(q.size(), 13 * count());
}
template <class Open>
void pop_until_empty(queue<word>& q, Open open) {
  {
    auto p = open();
    const words v = drain(p, 7);
    EXPECT_TRUE(p.end().ok());
    EXPECT_EQ(on_all(v.size()), 13 * count());
  }
  {
    auto p = open();
    word one = 77;
    EXPECT_EQ(p.pop(one).count, 0u);
    EXPECT_TRUE(p.pop(next(), one).outcome.ok()) << "empty is no failure";
    EXPECT_EQ(one, 77u);
  }
  EXPECT_EQ(q.size(), 0u);
}

TEST(Queue, FullAndEmptyAreResults) {
  queue<word> q(world(), 13);
  push_until_full(q, [&] { return q.push_only(); });
  pop_until_empty(q, [&] { return q.pop_only(); });
  push_until_full(q, [&] { return q.mixed(); });
  pop_until_empty(q, [&] { return q.mixed(); });
  push_until_full(q, [&] { return q.push_only(); });
  pop_until_empty(q, [&] { return q.mixed(); });
  EXPECT_EQ(q.failure(), "");
}

// Each rank pushes n and pops n, in batches, through parts that are full and empty in turn.
void push_and_pop(word capacity, std::size_t batch, bool everywhere) {
  const word n = checking() || spans_nodes() ? 120 : 20'000;
  queue<word> q(world(), capacity);
  const words all = from((mine() + 1) << 32, n);
  words popped, some(batch);
  {
    auto p = q.mixed();
    word pushed = 0;
    while (pushed < n || popped.size() < n) {
      const auto more = std::span(all).subspan(pushed, std::min<word>(batch, n - pushed));
      const auto in = everywhere ? p.push(more) : p.push(next(), more);
      pushed += in.count;
      const auto room = std::span(some).first(std::min<word>(batch, n - popped.size()));
      const auto out = everywhere ? p.pop(room) : p.pop(world().me(), room);
      popped.insert(popped.end(), some.begin(),
                    some.begin() + static_cast<std::ptrdiff_t>(out.count));
      ASSERT_TRUE(in.outcome.ok() && out.outcome.ok()) << q.failure();
      if (in.count + out.count == 0) std::this_thread::yield();
    }
    EXPECT_TRUE(p.end().ok());
  }
  EXPECT_EQ(on_all(sum(popped)), on_all(sum(all)));
  EXPECT_EQ(q.size(), 0u);
}

TEST(Queue, LosesAndDoublesNothingWherePushesAndPopsMeet) {
  for (const word capacity : {1, 3, 64})
    for (const std::size_t batch : {1, 5, 100}) {
      push_and_pop(capacity, batch, true);
      push_and_pop(capacity, batch, false);
    }
}

TEST(Queue, KeepsTheOrderOfEachRankWherePushesAndPopsMeet) {
  const word n = checking() || spans_nodes() ? 100 : 10'000;
  queue<word> q(world(), 17);
  auto p = q.mixed();
  words last(count());
  word pushed = 0, popped = 0;
  words some(7);
  while (pushed < n || (me() == 0 && popped < n * count())) {
    words more;
    for (word i = pushed; i < std::min(n, pushed + 5); ++i) more.push_back(i << 8 | mine());
    if (!more.empty()) pushed += p.push(rank{0}, more).count;
    if (me() != 0) continue;
    const auto r = p.pop(rank{0}, some);
    ASSERT_TRUE(r.outcome.ok()) << q.failure();
    for (std::size_t i = 0; i < r.count; ++i) {
      word& before = last[some[i] & 0xff];
      ASSERT_EQ(some[i] >> 8, before) << "of rank " << (some[i] & 0xff);
      ++before;
    }
    popped += r.count;
  }
}

template <class T>
T element(word seed) {
  T value;
  std::array<unsigned char, sizeof(T)> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(mixed_bits(seed * 4099 + i));
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}
template <class T>
void move_any(word n) {
  queue<T> q(world(), n);
  std::vector<T> in, out(n);
  for (word i = 0; i < n; ++i) in.push_back(element<T>(mine() * n + i));
  for (const bool among_others : {false, true, false}) {
    if (among_others) {
      auto p = q.mixed();
      EXPECT_EQ(p.push(next(), in).count, n) << q.failure();
      world().barrier().or_throw();
      EXPECT_EQ(p.pop(next(), out).count, n) << q.failure();
    } else {
      EXPECT_EQ(q.push_only().push(next(), in).count, n);
      EXPECT_EQ(q.pop_only().pop(next(), out).count, n);
    }
    EXPECT_EQ(std::memcmp(in.data(), out.data(), n * sizeof(T)), 0) << sizeof(T) << " bytes";
    q.push_only().push(rank{0}, in[0]).outcome.or_throw();  // positions that begin elsewhere
    auto p = q.pop_only();
    while (p.pop(out[0]).count == 1) {
    }
  }
}

TEST(Queue, MovesElementsOfAnySize) {
  struct three {
    std::array<char, 3> c;
  };
  struct twelve {
    std::array<std::uint32_t, 3> c;
  };
  struct words_of {
    std::array<word, 3> c;
  };
  struct large {
    std::array<char, 9001> c;
  };
  move_any<char>(3000);
  move_any<three>(500);
  move_any<twelve>(1500);
  move_any<words_of>(700);
  move_any<large>(5);
}

TEST(Queue, TakesFewMessagesForABatch) {
  if (!spans_nodes() || ranks() != 2) GTEST_SKIP() << "no other node, or several ranks of it";
  if (checking()) GTEST_SKIP() << "the checks look at each operation";
  const word n = 10'000;
  queue<word> q(world(), n);
  const auto operations = [&q] {
    word all = 0;
    for (const auto& kind : q.statistics().operations)
      for (const auto& route : kind) all += route.operations;
    return all;
  };
  auto p = q.push_only();
  const word before = operations();
  EXPECT_EQ(p.push(next(), from(0, n)).count, n);
  EXPECT_GT(operations(), before);
  EXPECT_LT(operations(), before + 10);
}

TEST(Queue, ThreadsPushAndPopInOnePhase) {
  constexpr word threads = 4;
  const word n = checking() || spans_nodes() ? 50 : 2000;
  queue<word> q(world(), 9);
  std::array<word, threads> out{};
  auto p = q.mixed();
  std::vector<std::thread> all;
  for (word t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      word pushed = 0, popped = 0, e = 0;
      while (pushed < n || popped < n) {
        if (pushed < n) pushed += p.push((mine() * threads + t) * n + pushed).count;
        if (popped < n && p.pop(e).count == 1) {
          out[t] += mixed_bits(e);
          ++popped;
        }
      }
    });
  for (auto& t : all) t.join();
  EXPECT_TRUE(p.end().ok()) << q.failure();
  EXPECT_EQ(on_all(std::accumulate(out.begin(), out.end(), word{0})),
            on_all(sum(from(mine() * threads * n, threads * n))));
}

TEST(Queue, RefusesWhatIsOutOfOrder) {
  for (const word capacity : {word{0}, ~word{0}})
    EXPECT_EQ(catch_error([&] { queue<word>(world(), capacity); }).code, errc::arg) << capacity;
  if (ranks() > 1) {
    const auto e = catch_error([] { queue<word>(world(), me() == 0 ? 10 : 20); });
    EXPECT_EQ(e.code, errc::mismatched_assertions);
    EXPECT_NE(e.text.find("parts of 10 to 20 elements"), std::string::npos) << e.text;
  }
  queue<word> q(world(), 10, {.name = "strict"});
  if (ranks() > 1) {
    const auto e = catch_error([&] {
      if (me() == 0)
        auto p = q.push_only();
      else
        auto p = q.mixed();
    });
    EXPECT_EQ(e.code, errc::rma_sync) << e.text;
  }
  auto p = q.push_only();
  EXPECT_EQ(catch_error([&] { q.clear(); }).code, errc::rma_sync);
  EXPECT_EQ(catch_error([&] { static_cast<void>(q.size()); }).code, errc::rma_sync);
  EXPECT_EQ(catch_error([&] { auto m = q.mixed(); }).code, errc::rma_sync);
  EXPECT_EQ(p.push(rank{ranks()}, 1).outcome.code(), errc::rank);
  EXPECT_EQ(p.push(rank{-1}, 1).outcome.code(), errc::rank);
  EXPECT_NE(q.failure().find("queue 'strict': rank"), std::string::npos) << q.failure();
  auto moved = std::move(p);
  EXPECT_EQ(moved.push(world().me(), 1).count, 1u);
  EXPECT_TRUE(moved.end().ok());
  EXPECT_TRUE(moved.end().ok()) << "the second time it does nothing";
  const auto late = moved.push(1);
  EXPECT_EQ(late.outcome.code(), errc::rma_sync);
  EXPECT_EQ(late.count, 0u);
  EXPECT_EQ(q.size(), count());
  q.clear();
  EXPECT_EQ(q.size(), 0u);
}

TEST(Queue, GoesOnWhereItIsMovedToAndThrowsWhereItWas) {
  queue<word> from(world(), 10);
  {
    auto p = from.push_only();
    queue<word> to(std::move(from));  // an open phase goes with it
    EXPECT_EQ(p.push(world().me(), 1).count, 1u);
    EXPECT_TRUE(p.end().ok());
    EXPECT_EQ(to.size(), count());
    EXPECT_EQ(catch_error([&] { auto q = from.mixed(); }).code, errc::win);
    EXPECT_EQ(catch_error([&] { from.clear(); }).code, errc::win);
    EXPECT_EQ(catch_error([&] { static_cast<void>(from.capacity_per_rank()); }).code, errc::win);
    from = std::move(to);
  }
  EXPECT_EQ(from.size(), count());
}

}  // namespace
}  // namespace oriel::testing
