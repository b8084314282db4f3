// flush(w1, w2, …) between ranks; tests/win/flush_together_test.cpp has the order.
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

TEST(FlushOfSeveralWindows, MakesEachOnesOperationsComplete) {
  constexpr assertion_set some = assertion::shared_lock | assertion::local_load_store;
  auto numbers = window<std::uint64_t, some>::allocate(world(), 2);
  auto names = window<char>::allocate(world(), 2, some, {.aggregate = true});
  auto held = window<double, some | assertion::exclusive_lock>::allocate(world(), 2);
  const rank next = world().next();
  auto a = numbers.lock_all();
  auto b = names.lock_all();
  auto c = held.lock_all();
  for (int i = 1; i <= 50; ++i) {
    numbers.put(next, disp{1}, static_cast<std::uint64_t>(i)).or_throw();
    names.put(next, disp{1}, static_cast<char>(i)).or_throw();
    held.accumulate<atomic_op::sum>(next, disp{1}, 0.5).or_throw();
    flush(numbers, names, held).or_throw();
    world().barrier().or_throw();
    EXPECT_EQ(numbers.local()[1], static_cast<std::uint64_t>(i));
    EXPECT_EQ(names.local()[1], static_cast<char>(i));
    EXPECT_EQ(held.local()[1], 0.5 * i);
    world().barrier().or_throw();
  }
}

TEST(FlushOfSeveralWindows, ReturnsTheFirstFailureInTheOrderOfTheWindows) {
  auto good = window<int>::allocate(world(), 1, assertion::shared_lock);
  auto fenced = window<int>::allocate(world(), 1, assertion::fence);
  window<int, assertion_set(assertion::exclusive_lock)> freed;
  EXPECT_TRUE(flush().ok()) << "of none, as a pack may be";
  EXPECT_TRUE(flush(good).ok());
  EXPECT_EQ(flush(good, fenced, freed).code(), errc::not_asserted);
  EXPECT_EQ(flush(freed, fenced).code(), errc::win);
}

}  // namespace
}  // namespace oriel::testing
