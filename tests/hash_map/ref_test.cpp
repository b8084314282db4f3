// hash_map_ref on the host: the code of the kernels, run by threads on several parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include "oriel/hash_map.cuh"

namespace oriel {
namespace {

using word = std::uint64_t;
using answer = slot_answer;
struct triple {
  word a = 0, b = 0, c = 0;
  friend bool operator==(const triple&, const triple&) = default;
};

constexpr int threads = 4;
template <class Work>
void on_threads(Work work) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) all.emplace_back([t, &work] { work(static_cast<word>(t)); });
  for (std::thread& t : all) t.join();
}

// The parts of three ranks in memory of this process.
template <class K, class V, slot_layout L = slot_layout::automatic>
class table {
 public:
  template <phase_kind P>
  using ref = hash_map_ref<K, V, P, L>;

  explicit table(word slots) : slots_(slots) {
    const std::size_t words = slots * ref<phase_kind::mixed>::slot_bytes / 8;
    for (std::uint64_t*& part : parts_) {
      memory_.emplace_back(static_cast<word*>(std::aligned_alloc(64, (words * 8 + 63) / 64 * 64)),
                           std::free);
      part = memory_.back().get();
      std::fill_n(part, words, word{0});
    }
  }
  template <phase_kind P>
  [[nodiscard]] ref<P> in() const {
    return ref<P>(parts_.data(), static_cast<std::uint32_t>(parts_.size()), slots_);
  }

 private:
  word slots_;
  std::vector<std::unique_ptr<word, void (*)(void*)>> memory_;
  std::array<std::uint64_t*, 3> parts_{};
};

constexpr word many = 3000;

template <class Table, class V, class Made>
void expect_found_after_inserts(Made made) {
  const Table t(4096);
  std::atomic<word> won{0};
  on_threads([&](word) {
    const auto p = t.template in<phase_kind::insert_only>();
    for (word k = 0; k < many; ++k)
      if (p.insert(k, made(k)) == answer::absent) won.fetch_add(1);
  });
  EXPECT_EQ(won.load(), many);
  on_threads([&](word) {
    const auto p = t.template in<phase_kind::find_only>();
    for (word k = 0; k < many; ++k) {
      V value{};
      ASSERT_EQ(p.find(k, value), answer::present) << k;
      ASSERT_EQ(value, made(k));
      ASSERT_EQ(p.find(many + k, value), answer::absent);
    }
  });
}

TEST(HashMapRef, FindsWhatThreadsInserted) {
  const auto same = [](word k) { return k; };
  expect_found_after_inserts<table<word, word>, word>(same);
  expect_found_after_inserts<table<word, word, slot_layout::general>, word>(same);
  expect_found_after_inserts<table<word, triple>, triple>([](word k) {
    return triple{k, k + 1, k + 2};
  });
}

// Two parts of 128 slots that are nearly full: finds pass several lines.
TEST(HashMapRef, FindsInACrowdedTable) {
  const table<word, word> t(128);
  const auto in = t.in<phase_kind::insert_only>();
  for (word k = 0; k < 225; ++k) ASSERT_EQ(in.insert(k, k * 2), answer::absent) << k;
  const auto p = t.in<phase_kind::find_only>();
  for (word k = 0; k < 450; ++k) {
    word value = 1;
    ASSERT_EQ(p.find(k, value), k < 225 ? answer::present : answer::absent) << k;
    ASSERT_EQ(value, k < 225 ? k * 2 : 1);
  }
  word value;
  EXPECT_EQ(p.find(~word{0}, value), answer::refused);
}

template <class Table, phase_kind P>
void expect_exact_sums() {
  const Table t(256);
  constexpr word range = 61;
  on_threads([&](word) {
    const auto p = t.template in<P>();
    for (word i = 0; i < 6100; ++i) {
      word before;
      ASSERT_LE(p.fetch_add(i % range, 1, before), answer::present);
    }
  });
  const auto p = t.template in<phase_kind::find_only>();
  for (word k = 0; k < range; ++k) {
    word sum = 0;
    EXPECT_EQ(p.find(k, sum), answer::present);
    EXPECT_EQ(sum, threads * 100u);
  }
}

TEST(HashMapRef, SumsAreExact) {
  expect_exact_sums<table<word, word>, phase_kind::insert_only>();
  expect_exact_sums<table<word, word>, phase_kind::mixed>();
  expect_exact_sums<table<word, word, slot_layout::general>, phase_kind::mixed>();
}

// Threads assign, find, erase and insert the same few keys: a value is found whole, and erasers and
// inserters take turns on each key.
template <class Table, class V, class Made>
void expect_whole_values(Made made) {
  const Table t(8);  // of three: a slot a key is enough
  std::array<std::atomic<int>, 5> alive{};
  on_threads([&](word me) {
    const auto p = t.template in<phase_kind::mixed>();
    for (word i = 0; i < 2000; ++i) {
      const word k = (i + me) % 5;
      answer a = p.insert_or_assign(k, made(i % 2));
      ASSERT_LE(a, answer::present);
      if (a == answer::absent) ++alive[k];
      V value{};
      a = p.find((k + 1) % 5, value);
      ASSERT_LE(a, answer::present);
      if (a == answer::present) {
        ASSERT_TRUE(value == made(0) || value == made(1));
      }
      if (i % 3 == 0 && p.erase(k) == answer::present) --alive[k];
    }
  });
  const auto p = t.template in<phase_kind::find_only>();
  for (word k = 0; k < 5; ++k) {
    V value{};
    EXPECT_EQ(p.find(k, value) == answer::present ? 1 : 0, alive[k].load()) << k;
  }
}

TEST(HashMapRef, MixedPhasesFindWholeValues) {
  expect_whole_values<table<word, word>, word>([](word i) { return i + 1; });
  expect_whole_values<table<word, word, slot_layout::general>, word>([](word i) { return i + 1; });
  expect_whole_values<table<word, triple>, triple>([](word i) {
    return i == 0 ? triple{1, 2, 3} : triple{7, 8, 9};
  });
}

TEST(HashMapRef, FullAndReservedAreAnswers) {
  const table<word, word> t(8);
  const auto p = t.in<phase_kind::mixed>();
  int full = 0;
  for (word k = 0; k < 400; ++k) full += p.insert(k, k) == answer::full ? 1 : 0;
  EXPECT_EQ(full, 400 - 3 * 8);
  EXPECT_EQ(p.insert(~word{0}, 1), answer::refused);
  EXPECT_EQ(p.erase(~word{1}), answer::refused);
  word value = 0;
  EXPECT_EQ(p.find(~word{2}, value), answer::refused);
  EXPECT_EQ(p.fetch_add(~word{2}, 1, value), answer::refused);
}

// A slot that nobody finishes is waited for in bounded time.
TEST(HashMapRef, AnAbandonedSlotStalls) {
  using slot = detail::hash_slot<word, word>;
  std::array<std::uint64_t, 16> part{};
  std::array<std::uint64_t*, 1> parts{part.data()};
  for (int s = 0; s < 8; ++s) part[static_cast<std::size_t>(2 * s)] = slot::busy;
  const hash_map_ref<word, word, phase_kind::mixed> p(parts.data(), 1, 8);
  word value = 0;
  EXPECT_EQ(p.find(1, value), answer::stalled);
}

}  // namespace
}  // namespace oriel
