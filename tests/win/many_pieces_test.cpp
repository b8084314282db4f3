// Layouts of more pieces than one request or system call takes, on every way a window can be had.
#include <cstring>
#include <numeric>

#include "tests/win/conformance.hpp"

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

INSTANTIATE_TEST_SUITE_P(All, ManyPieces, ::testing::ValuesIn(all_made()));

}  // namespace
}  // namespace oriel::testing
