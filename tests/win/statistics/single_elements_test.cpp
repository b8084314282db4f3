// What a window counts of single elements: of every size, of several threads, and where there is no
// memory to show it in.
#include <array>
#include <cstdlib>
#include <thread>
#include <vector>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "tests/win/statistics/single_elements.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
using tally = window_statistics::tally;

constexpr assertion_set promise =
    assertion::shared_lock | assertion::multi_element | assertion::local_load_store;

template <class T>
void expect_elements_of(const char* type) {
  auto w = window<T>::allocate(world(), 8, promise);
  const rank to = world().next();
  {
    auto epoch = w.lock_all();
    T found{};
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(w.put(to, disp{0}, T{1}).ok());
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(w.get(to, disp{1}, found).ok());
    w.fetch_add(to, disp{2}, T{1});
    ASSERT_TRUE(w.flush(to).ok());
  }
  const window_statistics s = w.statistics();
  EXPECT_EQ(s.of(operation_kind::put), (tally{3, 3 * sizeof(T)})) << type;
  EXPECT_EQ(s.of(operation_kind::get), (tally{2, 2 * sizeof(T)})) << type;
  EXPECT_EQ(s.of(operation_kind::fetch_op), (tally{1, sizeof(T)})) << type;
  EXPECT_EQ(s.total().operations, 6u) << type;
  EXPECT_EQ(s.by_size[sizeof(T) > 8 ? 1 : 0], 6u) << type;
  ASSERT_TRUE(world().barrier().ok());
}

TEST(Statistics, CountElementsOfEverySize) {
  if (!counts_words()) GTEST_SKIP() << "single elements are not counted";
  expect_elements_of<std::int8_t>("int8");
  expect_elements_of<std::uint16_t>("uint16");
  expect_elements_of<float>("float");
  expect_elements_of<std::int64_t>("int64");
  expect_elements_of<long double>("long double");
}

TEST(Statistics, CountSingleElementsOfEachThreadExactly) {
  if (!counts_words()) GTEST_SKIP() << "single elements are not counted";
  if (spans_nodes()) GTEST_SKIP() << "several nodes";
  auto w = window<word>::allocate(world(), 64, promise);
  constexpr word rounds = 3, threads = 4, each = 2000;
  auto epoch = w.lock_all();
  do_singles(w, rank{me()}, world().next(), threads, 1);  // the first thread's
  for (word round = 0; round < rounds; ++round) {
    std::vector<std::thread> all;
    for (word t = 0; t < threads; ++t)
      all.emplace_back([&w, t] { do_singles(w, rank{me()}, world().next(), t, each); });
    for (std::thread& t : all) t.join();
  }
  expect_singles(w.statistics(), rounds * threads * each + 1, ranks() == 1);
  ASSERT_TRUE(world().barrier().ok());
}

TEST(Statistics, AreNotChosenByAnotherValue) {
  if (std::getenv("ORIEL_COUNT") != nullptr) GTEST_SKIP() << "it would not be set again";
  const scoped_variable wrong("ORIEL_COUNT", "maybe");
  const thrown t =
      catch_error([] { static_cast<void>(window<word>::allocate(world(), 4, promise)); });
  EXPECT_EQ(t.code, errc::arg);
  EXPECT_NE(t.text.find("ORIEL_COUNT is 'maybe'; valid: 0, 1"), std::string::npos) << t.text;
}

TEST(Statistics, AreThereWhereTheNodeHasNoMemoryForThem) {
  if (ranks() != 1) GTEST_SKIP() << "others need it";
  auto w = window<word>::allocate(world(), 4, promise);
  const std::array<word, 2> two{1, 2};
  sessions::node_memory& memory = world().state()->session().memory();
  std::vector<std::uint64_t> taken;
  for (std::size_t bytes = memory.capacity(); bytes >= 64; bytes /= 2) {
    try {
      for (;;) taken.push_back(memory.allocate(bytes, 64, false));
    } catch (const error&) {
    }
  }
  {
    auto epoch = w.lock_all();
    for (word i = 0; i < 10; ++i) ASSERT_TRUE(w.put(rank{0}, disp{0}, i).ok());
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(w.put(rank{0}, disp{0}, std::span<const word>(two)).ok());
  }
  for (const std::uint64_t at : taken) memory.release(at);
  const word one = counts_words() ? 1 : 0;
  EXPECT_EQ(w.statistics().of(operation_kind::put), (tally{one * 10 + 3, one * 80 + 48}));
}

}  // namespace
}  // namespace oriel::testing
