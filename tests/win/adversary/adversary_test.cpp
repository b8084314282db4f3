// ORIEL_ADVERSARY=seed: what it may not change.
#include <chrono>
#include <numeric>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
constexpr assertion_set passive =
    assertion::shared_lock | assertion::local_load_store | assertion::multi_element;

TEST(Adversary, IsExplainedWithItsSeed) {
  const auto held = window<word, passive>::allocate(world(), 1);
  EXPECT_NE(held.explain().find("adversary:        seed 7 (ORIEL_ADVERSARY): operations are held"),
            std::string::npos)
      << held.explain();
  const auto bare = window<word, passive | assertion::remote_load_store>::allocate(world(), 1);
  EXPECT_NE(bare.explain().find("no operation is held back, since this static window's accesses"),
            std::string::npos)
      << bare.explain();
}

// Of a team, a barrier takes up to 600 us more: a sleep lasts for as long at least. This rank waits
// for no other.
TEST(Adversary, DelaysCollectives) {
  const team alone = world().split(world().me().value, 0);
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 400; ++i) alone.barrier().or_throw();
  EXPECT_GT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(15));
}

TEST(Adversary, KeepsTheOrderThatIsPromised) {
  auto w = window<word, passive | assertion::ordered_accumulate>::allocate(world(), 64);
  const rank next = world().next();
  auto open = w.lock_all();
  for (word turn = 1; turn <= 5; ++turn)
    for (std::size_t i = 0; i < 64; ++i) {
      w.accumulate(atomic_op::sum, next, disp{i}, 1).or_throw();
      w.accumulate(atomic_op::replace, next, disp{i}, 10 * turn).or_throw();
    }
  EXPECT_EQ(w.fetch_add(next, disp{5}, 1), 50u) << "a result that is usable on return";
  std::vector<word> before(64);
  const std::vector<word> more(64, 3);
  w.accumulate(atomic_op::sum, next, disp{0}, 2).or_throw();
  w.get_accumulate(atomic_op::sum, next, disp{0}, more, before).or_throw();
  w.flush_local(next).or_throw();
  EXPECT_EQ(before[0], 52u);
  EXPECT_EQ(before[63], 50u);
  w.flush(next).or_throw();
  world().barrier().or_throw();
  EXPECT_EQ(w.local()[0], 55u);
  world().barrier().or_throw();
}

TEST(Adversary, KeepsTheOrderOfAList) {
  auto w = window<word, passive>::allocate(world(), 1);
  auto open = w.lock_all();
  const std::vector<rank> ranks(50, world().next());
  const std::vector<disp> disps(50, disp{0});
  std::vector<word> values(50), before(50);
  std::iota(values.begin(), values.end(), word{1});
  w.fetch_op(atomic_op::replace, ranks, disps, values, before).or_throw();
  w.flush_all().or_throw();
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(before[i], i);
  world().barrier().or_throw();
}

TEST(Adversary, LetsRequestsThatAreLookedAtEnd) {
  auto w = window<word, passive>::allocate(world(), 8);
  std::iota(w.local().begin(), w.local().end(), word{1});
  world().barrier().or_throw();
  auto open = w.lock_all();
  std::vector<word> got(8);
  const request getting = w.rget(world().next(), disp{0}, got);
  EXPECT_FALSE(getting.test());
  EXPECT_NE(got[7], 8u);
  for (int looks = 0; !getting.test(); ++looks) ASSERT_LT(looks, 100);
  EXPECT_EQ(got[7], 8u);
  world().barrier().or_throw();
}

TEST(Adversary, LeavesNothingUndoneWhenAWindowIsFreed) {
  std::vector<word> memory(8), got(8), values(8, 3);
  auto w = window<word, passive>::create(world(), memory);
  auto open = w.lock_all();
  w.put(world().next(), disp{0}, values).or_throw();
  request getting = w.rget(world().me(), disp{7}, std::span(got).first(1));
  static_cast<void>(w.free());
  EXPECT_EQ(memory, values);
  EXPECT_TRUE(getting.wait().ok());
}

TEST(Adversary, HoldsNoMoreThanThereIsRoomFor) {
  auto w = window<word, passive>::allocate(world(), 1000);
  auto open = w.lock_all();
  for (std::size_t i = 0; i < 100'000; ++i)
    w.accumulate(atomic_op::sum, world().next(), disp{i % 1000}, 1).or_throw();
  w.flush_all().or_throw();
  world().barrier().or_throw();
  for (const word n : w.local()) ASSERT_EQ(n, 100u);
}

TEST(Adversary, RefusesAtOnceWhatIsWrong) {
  window_options sums;
  sums.ops = atomic_op::sum;
  auto w = any_window::allocate(
      world(), 8, datatype::of<word>(),
      assertion::shared_lock | assertion::multi_element | assertion::user_datatype, sums);
  w.lock_all().or_throw();
  std::vector<word> values(4);
  const rank next = world().next();
  EXPECT_EQ(w.accumulate(atomic_op::prod, next, disp{0}, values.data(), 4).code(), errc::op);
  const shape here{datatype::of<word>(), 4}, there{datatype::of<float>(), 4};
  EXPECT_EQ(w.put(next, disp{0}, values.data(), here, there).code(), errc::type);
  request refused = w.raccumulate(atomic_op::prod, next, disp{0}, values.data(), here, here);
  EXPECT_TRUE(refused.test());
  EXPECT_EQ(refused.wait().code(), errc::op);
  w.clear_failure();
  EXPECT_TRUE(w.put(next, disp{0}, values.data(), here, here).ok());
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
}

TEST(Adversary, LeavesWindowsAloneThatSaySo) {
  window_options options;
  options.hints.set("oriel_adversary", "false");
  auto w = window<word, passive>::allocate(world(), 4, options);
  EXPECT_NE(w.explain().find("since the hint oriel_adversary is false"), std::string::npos)
      << w.explain();
  const auto open = w.lock_all();
  const std::vector<word> sent(4, 9);
  w.put(world().me(), disp{0}, sent).or_throw();
  EXPECT_EQ(w.local()[3], 9u);
  options.hints.set("oriel_adversary", "maybe");
  try {
    static_cast<void>(window<word, passive>::allocate(world(), 4, options));
    ADD_FAILURE() << "a hint of no meaning was taken";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::info);
  }
}

}  // namespace
}  // namespace oriel::testing
