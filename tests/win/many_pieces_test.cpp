// Layouts of more pieces than one request or system call takes, on every way a window can be had.
#include <cstring>
#include <numeric>

#include "tests/win/conformance.hpp"
#include "win/datatype/layout_walk.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set promised =
    assertion::shared_lock | assertion::multi_element | assertion::user_datatype;

class ManyPieces : public ::testing::TestWithParam<made> {};

TEST_P(ManyPieces, ArePutAndRead) {
  constexpr std::size_t n = 700;
  made_window m(GetParam(), 2 * n * sizeof(int), datatype::bytes(1), promised);
  any_window& w = m.window;
  const shape every_second{datatype::vector(n, 1, 2, datatype::of<int>()), 1};
  const shape dense{datatype::of<int>(), n};
  std::vector<int> here(n), back(n), apart(2 * n, -1), all(2 * n, -1);
  std::iota(here.begin(), here.end(), 1 + me());
  const rank target = world().next();
  w.lock_all().or_throw();
  EXPECT_TRUE(w.put(target, disp{0}, here.data(), dense, every_second).ok()) << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(w.get(target, disp{0}, back.data(), dense, every_second).ok()) << w.failure();
  EXPECT_TRUE(w.get(target, disp{0}, apart.data(), every_second, every_second).ok());
  EXPECT_TRUE(w.get(target, disp{0}, all.data(), 2 * n * sizeof(int)).ok());
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  EXPECT_EQ(back, here);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(apart[2 * i], here[i]);
    EXPECT_EQ(apart[2 * i + 1], -1);
    EXPECT_EQ(all[2 * i], here[i]);
    EXPECT_EQ(all[2 * i + 1], 0);
  }
  world().barrier().or_throw();
}

// A header and what it heads: the first piece says nothing about the rest.
TEST_P(ManyPieces, OfAllSizesArePutAndRead) {
  constexpr std::size_t longest = 200'000, head = 8;
  made_window m(GetParam(), longest + 100, datatype::bytes(1), promised);
  any_window& w = m.window;
  const std::array<std::size_t, 3> lengths{head, 600, longest - 1000};
  const std::array<std::ptrdiff_t, 3> places{0, 16, 800};
  const shape apart{datatype::hindexed(lengths, places, datatype::bytes(1)), 1};
  std::vector<char> here(longest + 100), back(longest + 100, 0);
  for (std::size_t i = 0; i < here.size(); ++i) here[i] = static_cast<char>(i * 31 + i / 251);
  const rank target = world().next();
  w.lock_all().or_throw();
  EXPECT_TRUE(w.put(target, disp{0}, here.data(), apart, apart).ok()) << w.failure();
  w.flush(target).or_throw();
  EXPECT_TRUE(w.get(target, disp{0}, back.data(), apart, apart).ok()) << w.failure();
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  for (std::size_t k = 0; k < lengths.size(); ++k)
    EXPECT_EQ(std::memcmp(back.data() + places[k], here.data() + places[k], lengths[k]), 0) << k;
  world().barrier().or_throw();
}

// Sums, with and without what was there before, of blocks of one element and of many, and of one
// dense run: more than the requests and the system calls take at once.
TEST_P(ManyPieces, AreAccumulated) {
  if (on_device(GetParam()) && !has_kernels()) GTEST_SKIP() << "no kernels do atomics there";
  const std::size_t n = on_device(GetParam()) ? 6'000 : 60'000;  // there each piece is a launch
  made_window m(GetParam(), n * sizeof(int), datatype::bytes(1),
                promised | assertion::ordered_accumulate);
  any_window& w = m.window;
  const datatype number = datatype::of<int>();
  const std::array<std::size_t, 4> lengths{1, 300, 7, n / 3};
  const std::array<std::ptrdiff_t, 4> places{8, 40, 4000, 8000};
  const std::array layouts{shape{datatype::vector(n / 4, 1, 2, number), 1},
                           shape{datatype::vector(n / 400, 50, 100, number), 1},
                           shape{datatype::vector(700, 1, 3, number), 1},
                           shape{datatype::hindexed(lengths, places, number), 1}, shape{number, n}};
  std::vector<int> here(n), before(n), expected(n, 0), back(n), packed(n);
  std::iota(here.begin(), here.end(), 1 + me());
  const rank target = world().next();
  w.lock_all().or_throw();
  int wrong = 0;
  for (const shape& each : layouts) {
    const std::size_t elements = each.count * each.type.size() / sizeof(int);
    const shape dense{number, elements};
    EXPECT_TRUE(w.accumulate(atomic_op::sum, target, disp{0}, here.data(), dense, each).ok())
        << w.failure();
    EXPECT_TRUE(w.get_accumulate(atomic_op::sum, target, disp{0}, here.data(), dense, before.data(),
                                 dense, each)
                    .ok())
        << w.failure();
    w.flush(target).or_throw();
    // What the target has now, and had between the two, each rank knows of its own target.
    for (int twice = 0; twice < 2; ++twice) {
      win::pack(reinterpret_cast<const std::byte*>(expected.data()), each,
                reinterpret_cast<std::byte*>(packed.data()));
      if (twice == 1)
        for (std::size_t i = 0; i < elements; ++i) wrong += before[i] != packed[i] ? 1 : 0;
      for (std::size_t i = 0; i < elements; ++i) packed[i] += here[i];
      win::unpack(reinterpret_cast<const std::byte*>(packed.data()),
                  reinterpret_cast<std::byte*>(expected.data()), each);
    }
  }
  EXPECT_TRUE(w.get(target, disp{0}, back.data(), n * sizeof(int)).ok());
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(back, expected);
  world().barrier().or_throw();
}

// An odd number of words from dense memory: a list whose last bytes align nothing.
TEST_P(ManyPieces, OfAnOddNumberOfWordsAreAccumulated) {
  if (on_device(GetParam()) && !has_kernels()) GTEST_SKIP() << "no kernels do atomics there";
  constexpr std::size_t n = 701;
  made_window m(GetParam(), 2 * n * sizeof(int), datatype::bytes(1), promised);
  any_window& w = m.window;
  const datatype number = datatype::of<int>();
  const shape apart{datatype::vector(n, 1, 2, number), 1}, dense{number, n};
  std::vector<int> here(n), back(n, 0);
  std::iota(here.begin(), here.end(), 1 + me());
  const rank target = world().next();
  w.lock_all().or_throw();
  EXPECT_TRUE(w.accumulate(atomic_op::sum, target, disp{0}, here.data(), dense, apart).ok())
      << w.failure();
  EXPECT_TRUE(w.flush(target).ok()) << w.failure();
  EXPECT_TRUE(w.get(target, disp{0}, back.data(), dense, apart).ok()) << w.failure();
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  EXPECT_EQ(back, here);
  world().barrier().or_throw();
}

// Each piece lies in one of two segments, which follow one another; beyond them is nothing.
TEST(ManyPiecesAttached, AreFoundInTheirSegments) {
  if (tested_kind() != nullptr) GTEST_SKIP() << "this memory is the host's";
  constexpr std::size_t n = 1000;
  std::vector<int> first(n, 0), second(n, 0), here(4 * n, 0), back(4 * n, 0);
  any_window w = any_window::create(world(), datatype::of<int>(), promised | assertion::attach);
  const auto low = w.attach(first.data(), n);
  w.attach(second.data(), n);
  world().barrier().or_throw();
  const rank target = world().next();
  const datatype number = datatype::of<int>();
  const shape both{datatype::vector(n / 2, 3, 4, number), 1};
  const shape beyond{datatype::vector(n, 3, 4, number), 1};
  std::iota(here.begin(), here.end(), 1 + me());
  w.lock_all().or_throw();
  EXPECT_TRUE(w.put(target, low.first, here.data(), both, both).ok()) << w.failure();
  EXPECT_TRUE(w.flush(target).ok()) << w.failure();
  EXPECT_TRUE(w.accumulate(atomic_op::sum, target, low.first, here.data(), both, both).ok());
  EXPECT_TRUE(w.flush(target).ok()) << w.failure();
  EXPECT_TRUE(w.get_accumulate(atomic_op::sum, target, low.first, here.data(), both, back.data(),
                               both, both)
                  .ok());
  EXPECT_TRUE(w.flush(target).ok()) << w.failure();
  for (std::size_t i = 0; i < 2 * n; ++i) ASSERT_EQ(back[i], i % 4 == 3 ? 0 : 2 * here[i]) << i;
  EXPECT_TRUE(w.get(target, low.first, back.data(), both, both).ok());
  EXPECT_TRUE(w.flush(target).ok()) << w.failure();
  for (std::size_t i = 0; i < 2 * n; ++i) ASSERT_EQ(back[i], i % 4 == 3 ? 0 : 3 * here[i]) << i;
  const auto refused = [&](auto begin) {
    const status begun = begin();
    const status ended = w.flush(target);
    EXPECT_EQ(name((begun.ok() ? ended : begun).code()), "rma_range");
    w.clear_failure();
  };
  refused([&] { return w.put(target, low.first, here.data(), beyond, beyond); });
  refused([&] { return w.get(target, low.first, back.data(), beyond, beyond); });
  refused(
      [&] { return w.accumulate(atomic_op::sum, target, low.first, here.data(), beyond, beyond); });
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  w.free().or_throw();
}

INSTANTIATE_TEST_SUITE_P(All, ManyPieces, ::testing::ValuesIn(all_made()));

}  // namespace
}  // namespace oriel::testing
