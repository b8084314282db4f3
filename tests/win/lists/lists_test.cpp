// Batched calls, on windows made in every way and of every kind of element.
#include <complex>
#include <map>

#include "tests/support/seed.hpp"
#include "tests/win/lists/random_list.hpp"

namespace oriel::testing {
namespace {

using detail::list_call;

constexpr std::uint64_t per_origin = 40;

std::size_t elements() {
  return per_origin * static_cast<std::size_t>(world().size());
}
std::uint64_t first_of(int origin) {
  return per_origin * static_cast<std::uint64_t>(origin);
}

// The same on every rank.
std::uint64_t common_seed() {
  std::uint64_t s = seed();
  world().broadcast(std::span(&s, 1), rank{0}).or_throw();
  if (me() == 0) std::printf("seed %llu\n", static_cast<unsigned long long>(s));
  return s;
}
std::mt19937_64 random_of(std::uint64_t seed, int origin) {
  return std::mt19937_64(seed + static_cast<std::uint64_t>(origin));
}

class Lists : public ::testing::TestWithParam<made> {
 protected:
  Lists() : made_(GetParam(), elements(), datatype::of<std::uint64_t>(), promised()) {}
  static assertion_set promised() {
    return assertion::shared_lock | assertion::ordered_accumulate | assertion::ordered_replace;
  }
  [[nodiscard]] any_window& w() { return made_.window; }
  void flush() { EXPECT_TRUE(w().flush_all().ok()) << w().failure(); }
  void meet() { ASSERT_TRUE(world().barrier().ok()); }
  void perform(const detail::element_list& list) {
    ASSERT_TRUE(w().perform(list).ok()) << w().failure();
  }

  const std::uint64_t seed_ = common_seed();
  made_window made_;
};

TEST_P(Lists, GatherReturnsWhatWasScattered) {
  std::mt19937_64 random = random_of(seed_, me());
  w().lock_all().or_throw();
  const random_list mine = random_list::all(random, first_of(me()), per_origin);
  std::vector<std::uint64_t> values(mine.size());
  for (auto& v : values) v = random();
  perform(mine.on(list_call::put, {}, values.data()));
  flush();
  std::vector<std::uint64_t> back(mine.size());
  perform(mine.on(list_call::get, {}, nullptr, nullptr, back.data()));
  flush();
  EXPECT_EQ(back, values);
  w().unlock_all().or_throw();
  meet();
  if (w().assertions().has(assertion::local_load_store)) return;
  // And what all have put is where it was put.
  w().lock_all().or_throw();
  for (int origin = 0; origin < world().size(); ++origin) {
    std::mt19937_64 theirs = random_of(seed_, origin);
    const random_list list = random_list::all(theirs, first_of(origin), per_origin);
    for (std::size_t j = 0; j < list.size(); ++j) {
      const std::uint64_t value = theirs();
      if (list.ranks[j].value != me()) continue;
      std::uint64_t found = 0;
      ASSERT_TRUE(w().get(rank{me()}, list.disps[j], &found).ok());
      ASSERT_EQ(found, value);
    }
  }
  w().unlock_all().or_throw();
  meet();
}

TEST_P(Lists, AccumulatesOfAllRanksAddUp) {
  const auto list_of = [&](std::mt19937_64& random) {
    return random_list::any(random, 700, 0, elements());
  };
  std::mt19937_64 random = random_of(seed_, me());
  const random_list mine = list_of(random);
  std::vector<std::uint64_t> operands(mine.size());
  for (auto& v : operands) v = random();
  w().lock_all().or_throw();
  perform(mine.on(list_call::accumulate, atomic_op::sum, operands.data()));
  w().unlock_all().or_throw();
  meet();
  std::map<std::uint64_t, std::uint64_t> sums;
  for (int origin = 0; origin < world().size(); ++origin) {
    std::mt19937_64 theirs = random_of(seed_, origin);
    const random_list list = list_of(theirs);
    for (std::size_t j = 0; j < list.size(); ++j) {
      const std::uint64_t operand = theirs();
      if (list.ranks[j].value == me()) sums[list.disps[j].value] += operand;
    }
  }
  w().lock_all().or_throw();
  for (const auto& [i, sum] : sums) {
    std::uint64_t found = 0;
    ASSERT_TRUE(w().get(rank{me()}, disp{i}, &found).ok());
    EXPECT_EQ(found, sum) << "element " << i;
  }
  w().unlock_all().or_throw();
  meet();
}

// Of tickets that are drawn, none twice and none left out.
TEST_P(Lists, FetchAddsOfAllRanksGiveEveryNumberOnce) {
  constexpr std::size_t draws = 500;
  std::mt19937_64 random = random_of(seed_, me());
  const random_list mine = random_list::any(random, draws, 0, 1);
  const std::vector<std::uint64_t> ones(draws, 1);
  std::vector<std::uint64_t> tickets(draws);
  w().lock_all().or_throw();
  perform(mine.on(list_call::fetch_op, atomic_op::sum, ones.data(), nullptr, tickets.data()));
  flush();
  // Element 1 of the rank that gave it: the sum of its tickets.
  random_list given;
  for (std::size_t j = 0; j < draws; ++j) given.add(mine.ranks[j], disp{1});
  perform(given.on(list_call::accumulate, atomic_op::sum, tickets.data()));
  flush();
  std::map<int, std::uint64_t> last;
  for (std::size_t j = 0; j < draws; ++j) {
    const auto [at, is_new] = last.try_emplace(mine.ranks[j].value, tickets[j]);
    if (!is_new) {
      ASSERT_GT(tickets[j], at->second) << "in the order of the list";
      at->second = tickets[j];
    }
  }
  w().unlock_all().or_throw();
  meet();
  w().lock_all().or_throw();
  std::uint64_t drawn = 0, sum = 0;
  ASSERT_TRUE(w().get(rank{me()}, disp{0}, &drawn).ok());
  ASSERT_TRUE(w().get(rank{me()}, disp{1}, &sum).ok());
  EXPECT_EQ(sum, drawn * (drawn - (drawn == 0 ? 0 : 1)) / 2);
  w().unlock_all().or_throw();
  meet();
}

TEST_P(Lists, OneSwapOfAllRanksTakesEachElement) {
  std::mt19937_64 random = random_of(seed_, me());
  const random_list mine = random_list::all(random, 0, per_origin);
  const std::vector<std::uint64_t> none(mine.size(), 0);
  const std::vector<std::uint64_t> desired(mine.size(), static_cast<std::uint64_t>(me()) + 1);
  std::vector<std::uint64_t> before(mine.size(), 99);
  w().lock_all().or_throw();
  perform(mine.on(list_call::compare_swap, {}, none.data(), desired.data(), before.data()));
  flush();
  meet();
  std::vector<std::uint64_t> now(mine.size());
  perform(mine.on(list_call::get, {}, nullptr, nullptr, now.data()));
  flush();
  for (std::size_t j = 0; j < mine.size(); ++j)
    EXPECT_EQ(now[j], before[j] == 0 ? desired[j] : before[j]) << "one rank took it";
  w().unlock_all().or_throw();
  meet();
}

TEST_P(Lists, LaterOperationsOnAnElementComeLater) {
  random_list same;
  std::vector<std::uint64_t> values;
  for (std::uint64_t j = 0; j < 300; ++j) {
    same.add(rank{static_cast<int>((me() + 1 + j % 2) % static_cast<unsigned>(world().size()))},
             disp{first_of(me()) + j % 2});
    values.push_back(j);
  }
  w().lock_all().or_throw();
  perform(same.on(list_call::accumulate, atomic_op::replace, values.data()));
  flush();
  std::vector<std::uint64_t> now(same.size());
  perform(same.on(list_call::fetch_op, atomic_op::no_op, nullptr, nullptr, now.data()));
  flush();
  EXPECT_EQ(now[298], 298u);
  EXPECT_EQ(now[299], 299u);
  w().unlock_all().or_throw();
  meet();
}

// Whichever rank is the last in the list: what it has begun to others has left.
TEST_P(Lists, AnAccumulateComesBehindThoseOfAListBefore) {
  w().lock_all().or_throw();
  const std::array<std::uint64_t, 2> ones{1, 1};
  std::uint64_t expected = 0;
  for (int round = 0; round < 10; ++round, expected += 2)
    for (int first = 0; first < world().size(); ++first) {
      random_list list;
      list.add(rank{first}, disp{first_of(me())});
      list.add(rank{round % world().size()}, disp{first_of(me()) + 1});
      perform(list.on(list_call::accumulate, atomic_op::sum, ones.data()));
      std::uint64_t before = 99;
      ASSERT_TRUE(
          w().fetch_op(atomic_op::sum, rank{first}, list.disps[0], ones.data(), &before).ok());
      ASSERT_EQ(before, expected + 1) << "of rank " << first;
    }
  w().unlock_all().or_throw();
  meet();
}

INSTANTIATE_TEST_SUITE_P(All, Lists, ::testing::ValuesIn(all_made()), [](const auto& with) {
  return std::to_string(static_cast<int>(with.param));
});

// --- Elements of other sizes, typed windows

template <class T>
class ListsOf : public ::testing::Test {};

struct odd {
  std::array<char, 3> bytes;
  friend bool operator==(const odd&, const odd&) = default;
};
struct long_element {
  std::array<std::uint64_t, 40> words;
  friend bool operator==(const long_element&, const long_element&) = default;
};
struct longer_element {
  std::array<std::uint64_t, 300> words;
  friend bool operator==(const longer_element&, const longer_element&) = default;
};
using element_types =
    ::testing::Types<std::uint8_t, std::int16_t, float, double, std::complex<float>,
                     std::complex<double>, odd, long_element, longer_element>;
TYPED_TEST_SUITE(ListsOf, element_types);

template <class T>
T some_value(std::mt19937_64& random) {
  T value;
  std::array<std::byte, sizeof(T)> bytes;
  // Small bytes are no NaN.
  for (std::byte& b : bytes) b = std::byte(random() % 64);
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
  return value;
}

TYPED_TEST(ListsOf, AreScatteredAndGathered) {
  using T = TypeParam;
  auto w = window<T, assertion::shared_lock | assertion::local_load_store>::allocate(world(),
                                                                                     elements());
  std::mt19937_64 random = random_of(common_seed(), me());
  const random_list mine = random_list::all(random, first_of(me()), per_origin);
  std::vector<T> values, back(mine.size());
  for (std::size_t j = 0; j < mine.size(); ++j) values.push_back(some_value<T>(random));
  auto epoch = w.lock_all();
  ASSERT_TRUE(w.scatter(mine.ranks, mine.disps, values).ok()) << w.failure();
  ASSERT_TRUE(w.flush_all().ok());
  ASSERT_TRUE(w.gather(mine.ranks, mine.disps, back).ok()) << w.failure();
  ASSERT_TRUE(w.flush_local_all().ok());
  EXPECT_EQ(std::memcmp(back.data(), values.data(), mine.size() * sizeof(T)), 0);
}

TYPED_TEST(ListsOf, AreAccumulatedWhereSumIsDefined) {
  using T = TypeParam;
  if constexpr (defined(atomic_op::sum, primitive_of<T>())) {
    auto w = window<T, assertion::shared_lock | assertion::local_load_store>::allocate(world(), 8);
    random_list list;
    std::vector<T> ones(60, T(1)), before(60);
    for (int j = 0; j < 60; ++j) list.add(rank{j % world().size()}, disp{3});
    {
      auto epoch = w.lock_all();
      ASSERT_TRUE(w.accumulate(atomic_op::sum, list.ranks, list.disps, ones).ok()) << w.failure();
      ASSERT_TRUE(w.fetch_op(atomic_op::no_op, list.ranks, list.disps, {}, before).ok());
      ASSERT_TRUE(w.fetch_op(atomic_op::sum, list.ranks, list.disps, ones, before).ok());
    }
    ASSERT_TRUE(world().barrier().ok());
    EXPECT_EQ(w.local()[3], T(static_cast<float>(120 / world().size() * world().size())));
    ASSERT_TRUE(world().barrier().ok());
  }
}

// --- What is refused

TEST(ListArguments, AreRefusedWithTheirSizes) {
  auto w = window<int, assertion_set(assertion::shared_lock)>::allocate(world(), 8);
  auto epoch = w.lock_all();
  const std::vector<rank> two(2);
  const std::vector<disp> three(3), both(2);
  const std::vector<int> values(2);
  EXPECT_EQ(w.scatter(two, three, values).code(), errc::count);
  EXPECT_NE(w.failure().find("2 ranks, 3 displacements and 2 elements"), std::string::npos)
      << w.failure();
  std::vector<int> one(1);
  EXPECT_EQ(w.gather(two, both, one).code(), errc::count);
  EXPECT_EQ(w.compare_swap(two, both, values, one, one).code(), errc::count);
  w.clear_failure();
  EXPECT_TRUE(w.scatter({}, {}, {}).ok()) << "nothing to do";
}

TEST(ListArguments, NeedAnOperationThatIsDefined) {
  auto w = window<double, assertion_set(assertion::shared_lock)>::allocate(world(), 8);
  auto epoch = w.lock_all();
  const std::vector<rank> ranks{world().next()};
  const std::vector<disp> disps(1);
  const std::vector<double> operands(1);
  EXPECT_EQ(w.accumulate(atomic_op::bor, ranks, disps, operands).code(), errc::op);
  EXPECT_NE(w.failure().find("bor"), std::string::npos) << w.failure();
  w.clear_failure();
}

TEST(ListArguments, OutsideOfAnotherNodesMemoryAreOutOfRange) {
  auto w = window<int, assertion_set(assertion::shared_lock)>::allocate(world(), 64);
  auto epoch = w.lock_all();
  const auto mine = static_cast<std::uint64_t>(2 * me());
  for (int r = 0; r < world().size(); ++r) {
    if (w.shared_query(rank{r}).base != nullptr) continue;
    const std::vector<rank> ranks(3, rank{r});
    const std::vector<disp> disps{disp{mine}, disp{64}, disp{mine + 1}};
    const std::vector<int> values{me() + 1, 7, 7};
    EXPECT_EQ(w.scatter(ranks, disps, values).code(), errc::rma_range);
    EXPECT_NE(w.failure().find("rank " + std::to_string(r)), std::string::npos) << w.failure();
    w.clear_failure();
  }
  EXPECT_TRUE(w.flush_all().ok()) << w.failure();
}

TEST(NonblockingOperations, HaveTheirResultsAfterAFlush) {
  auto w = window<std::uint64_t, assertion_set(assertion::shared_lock)>::allocate(world(), 4);
  const rank next = world().next();
  {
    auto epoch = w.lock_all();
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    ASSERT_TRUE(w.fetch_add_nbi(next, disp{0}, 5, a).ok());
    ASSERT_TRUE(w.flush(next).ok());
    ASSERT_TRUE(w.fetch_op_nbi<atomic_op::bor>(next, disp{0}, 2, b).ok());
    ASSERT_TRUE(w.flush(next).ok());
    ASSERT_TRUE(w.compare_swap_nbi(next, disp{0}, 7, 100, c).ok());
    ASSERT_TRUE(w.flush(next).ok());
    ASSERT_TRUE(w.get_nbi(next, disp{0}, d).ok());
    ASSERT_TRUE(w.flush_local(next).ok());
    EXPECT_EQ((std::array{a, b, c, d}), (std::array<std::uint64_t, 4>{0, 5, 7, 100}));
  }
  ASSERT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
