// Windows over memory of malloc that becomes the node's: the same calls as on any other memory, by
// loads and stores of all ranks of the node.
#include <gmock/gmock.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
constexpr assertion_set promise = assertion::shared_lock | assertion::exclusive_lock |
                                  assertion::multi_element | assertion::fence |
                                  assertion::local_load_store;

window_options moving(const char* value = "true") {
  window_options options;
  options.hints.set("oriel_move_private", value);
  return options;
}
bool has_neighbours() {
  return job().node().size() > 1;
}
bool is_mapped(const auto& w, rank r) {
  return w.shared_query(r).reachable();
}

TEST(MovedMemory, IsMappedByTheRanksOfTheNode) {
  std::vector<word> mine(1000);
  std::iota(mine.begin(), mine.end(), static_cast<word>(1000 * me()));
  auto w = window<word, promise>::create(world(), mine, moving());
  for (int r = 0; r < ranks(); ++r) {
    if (world().on_node(rank{r}) && has_neighbours()) {
      EXPECT_TRUE(is_mapped(w, rank{r})) << w.explain();
    }
  }
  EXPECT_EQ(w.local().data(), mine.data());
  w.fence().or_throw();
  const rank next = world().next();
  w.put(next, disp{3}, 42).or_throw();
  word got = 0;
  w.get(next, disp{7}, got).or_throw();
  w.fence().or_throw();
  EXPECT_EQ(got, static_cast<word>(1000 * next.value + 7));
  EXPECT_EQ(mine[3], 42u);
  {
    auto epoch = w.lock_all();
    for (int i = 0; i < 100; ++i) w.fetch_add(rank{0}, disp{0}, 1);
    w.flush_all().or_throw();
  }
  world().barrier().or_throw();
  if (me() == 0) {
    EXPECT_EQ(mine[0], static_cast<word>(100 * ranks()));
  }
  w.free().or_throw();
  mine.assign(5000, 1);  // the heap goes on
  EXPECT_EQ(std::accumulate(mine.begin(), mine.end(), word{0}), 5000u);
}

// An owner's plain instructions, while others' atomics come by their own mapping of the pages.
TEST(MovedMemory, IsOneMemoryForTheOwnerAndTheOthers) {
  auto* const counter = static_cast<word*>(std::calloc(64, sizeof(word)));
  auto w = window<word, promise>::create(world(), std::span(counter, 64), moving());
  auto epoch = w.lock_all();
  const rank next = world().next();
  constexpr int times = 10'000;
  for (int i = 0; i < times; ++i) {
    w.fetch_add(next, disp{5}, 1);
    std::atomic_ref(counter[5]).fetch_add(1);
  }
  w.flush_all().or_throw();
  world().barrier().or_throw();
  EXPECT_EQ(std::atomic_ref(counter[5]).load(), 2u * times);
  epoch.end().or_throw();
  w.free().or_throw();
  std::free(counter);
}

TEST(MovedMemory, MayBeAttached) {
  constexpr assertion_set attached = promise | assertion::attach;
  std::vector<word> mine(100, static_cast<word>(me()));
  auto w = window<word, attached>::create(world(), moving());
  const auto handle = w.attach(mine);
  std::vector<word> first(static_cast<std::size_t>(ranks()));
  for (int r = 0; r < ranks(); ++r) {
    first[static_cast<std::size_t>(r)] = handle.first.value;
    world().broadcast(first[static_cast<std::size_t>(r)], rank{r}).or_throw();
  }
  const rank next = world().next();
  const auto segments = w.segments(next);
  ASSERT_EQ(segments.size(), 1u);
  if (world().on_node(next) && has_neighbours()) {
    EXPECT_NE(segments[0].base, nullptr);
  }
  {
    auto epoch = w.lock_all();
    w.put(next, disp{first[static_cast<std::size_t>(next.value)] + 9}, 77).or_throw();
    w.flush_all().or_throw();
  }
  world().barrier().or_throw();
  EXPECT_EQ(mine[9], 77u);
  w.detach(handle.handle).or_throw();
  w.free().or_throw();
}

TEST(MovedMemory, StaysPrivateWhereNoneAsksOrItCannotBeMoved) {
  if (!has_neighbours()) GTEST_SKIP() << "one rank a node";
  std::vector<word> mine(100);
  auto usual = window<word, promise>::create(world(), mine, moving("false"));
  EXPECT_EQ(usual.hints().get("oriel_move_private"), "false");
  EXPECT_THAT(usual.explain(), ::testing::Not(::testing::HasSubstr("not moved")));
  usual.free().or_throw();
  word on_stack[4] = {};
  auto w = window<word, promise>::create(world(), on_stack, moving());
  EXPECT_EQ(w.hints().get("oriel_move_private"), "true");
  EXPECT_THAT(w.explain(), ::testing::HasSubstr("not moved into the node's memory: it is on"));
  w.fence().or_throw();
  w.put(world().next(), disp{1}, 5).or_throw();
  w.fence().or_throw();
  EXPECT_EQ(on_stack[1], 5u);
}

TEST(MovedMemory, LetsRemoteLoadStoreBePromised) {
  if (job().node().size() != ranks()) GTEST_SKIP() << "several nodes";
  constexpr assertion_set mapped = promise | assertion::remote_load_store;
  std::vector<word> mine(10, 3);
  auto w = window<word, mapped>::create(world(), mine, moving());
  EXPECT_EQ(w.remote(world().next())[2], 3u);
  world().barrier().or_throw();
}

TEST(MovedMemory, RefusesHintsThatAreNeither) {
  std::vector<word> mine(10);
  try {
    auto w = window<word, promise>::create(world(), mine, moving("perhaps"));
    FAIL();
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::info);
    EXPECT_THAT(e.what(), ::testing::HasSubstr("'perhaps'; valid: true, false"));
  }
}

}  // namespace
}  // namespace oriel::testing
