// Ranks that do not have the same devices: one finds no driver (ORIEL_TEST_ABSENT), or they bring
// memory of two vendors. What cannot be is refused on all alike, and the rest works.
#include <array>
#include <cstdlib>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element;

int absent() {
  const char* const rank = std::getenv("ORIEL_TEST_ABSENT");
  return rank == nullptr ? -1 : std::atoi(rank);
}

// Every rank was refused, in the same words, which name what is to be named.
void expect_refusal(const thrown& mine, errc code, std::initializer_list<std::string> words) {
  EXPECT_EQ(mine.code, code) << mine.text;
  for (const std::string& word : words)
    EXPECT_NE(mine.text.find(word), std::string::npos) << word << " in " << mine.text;
  std::array<char, 500> text{};
  mine.text.copy(text.data(), text.size() - 1);
  for (const auto& other : world().allgather(text)) EXPECT_STREQ(other.data(), text.data());
}

// A window to which this rank brings `kind`, used by all for puts, gets and, where `atomics`, adds.
void expect_that_it_works(const std::string& kind, bool atomics = false) {
  auto w = window<int>::allocate(world(), 100, promise, on(kind));
  {
    auto epoch = w.lock_all();
    std::vector<std::vector<int>> rows;  // theirs until the flush
    for (int r = 0; r < ranks(); ++r) {
      const auto& row = rows.emplace_back(20, 100 * r + me());
      w.put(rank{r}, disp{static_cast<unsigned>(me()) * 20}, std::span<const int>(row)).or_throw();
      if (atomics) w.add(rank{r}, disp{99}, 1).or_throw();
    }
    EXPECT_TRUE(w.flush_all().ok()) << w.failure();
    EXPECT_TRUE(world().barrier().ok());
    for (int r = 0; r < ranks(); ++r) {
      std::vector<int> got(20);
      for (int o = 0; o < ranks() && o < 4; ++o) {
        w.get(rank{r}, disp{static_cast<unsigned>(o) * 20}, std::span<int>(got)).or_throw();
        EXPECT_TRUE(w.flush(rank{r}).ok()) << w.failure();
        EXPECT_EQ(got, std::vector<int>(20, 100 * r + o)) << w.failure();
      }
      if (atomics) {
        EXPECT_EQ(w.get(rank{r}, disp{99}), ranks()) << w.failure();
      }
    }
  }
  EXPECT_EQ(w.failure(), "");
  EXPECT_TRUE(w.free().ok());
}

TEST(DeviceMixed, ARankWithoutADriverHasNoDeviceMemory) {
  if (absent() < 0) GTEST_SKIP() << "every rank finds its driver";
  const std::string provided = job().hints().get("mpi_memory_alloc_kinds").value_or("");
  EXPECT_EQ(provided.find(tested_kind()) == std::string::npos, me() == absent()) << provided;
  const thrown t = catch_error(
      [&] { static_cast<void>(window<int>::allocate(world(), 10, promise, on(device_kind()))); });
  expect_refusal(t, errc::unsupported_kind,
                 {"'w'", "rank " + std::to_string(absent()), device_kind()});
  expect_that_it_works("");
}

// It is needed by all of a node that one of them has device memory.
TEST(DeviceMixed, ARankWithoutADriverReachesNoDeviceMemoryOfItsNode) {
  if (absent() < 0) GTEST_SKIP() << "every rank finds its driver";
  for (int owner = 0; owner < ranks(); ++owner) {
    if (owner == absent()) continue;
    SCOPED_TRACE("of rank " + std::to_string(owner));
    const std::string mine = me() == owner ? device_kind() : "";
    const auto near = world().allgather(static_cast<int>(world().on_node(rank{owner})));
    if (near[static_cast<std::size_t>(absent())] == 0) {
      expect_that_it_works(mine);
      continue;
    }
    const thrown t = catch_error(
        [&] { static_cast<void>(window<int>::allocate(world(), 10, promise, on(mine))); });
    expect_refusal(t, errc::unsupported_kind,
                   {"'w'", "rank " + std::to_string(absent()), "rank " + std::to_string(owner)});
  }
  expect_that_it_works("");
}

// Any two ranks differ, rank 0 or not.
TEST(DeviceMixed, MemoryOfTwoVendorsIsRefused) {
  if (absent() >= 0) GTEST_SKIP() << "a rank finds no driver";
  if (std::string(tested_kind()) != "both") GTEST_SKIP() << "there is one vendor";
  for (int first = 0; first < ranks(); ++first)
    for (int second = 0; second < ranks(); ++second) {
      if (first == second) continue;
      const std::string mine = me() == first ? "cuda:device" : me() == second ? "rocm:device" : "";
      const thrown t = catch_error(
          [&] { static_cast<void>(window<int>::allocate(world(), 10, promise, on(mine))); });
      expect_refusal(t, errc::unsupported_kind,
                     {"'w'", "rank " + std::to_string(first) + " for cuda",
                      "rank " + std::to_string(second) + " for rocm"});
      expect_that_it_works(me() == first ? "cuda:device" : "");
      expect_that_it_works(me() == second ? "rocm:managed" : "");
    }
}

}  // namespace
}  // namespace oriel::testing
