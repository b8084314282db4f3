// What a window's memory looks like: the shared query on every window, segments, attach and detach.
#include <numeric>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

rank lowest_on_node() {
  int r = 0;
  while (!world().on_node(rank{r})) ++r;
  return rank{r};
}

// Of an operation to `r`: between nodes the flush returns what the owner finds.
template <class Window>
errc outcome(Window& w, rank r, status begun) {
  const status flushed = w.flush(r);
  return begun.ok() ? flushed.code() : begun.code();
}

TEST(SharedQuery, WorksOnEveryWindow) {
  for (const made how : all_made()) {
    SCOPED_TRACE(name(how));
    made_window m(how, 10, datatype::of<int>(), assertion::fence);
    const bool mapped = how == made::allocated || how == made::shared_memory;
    for (int r = 0; r < ranks(); ++r) {
      const auto s = m.window.shared_query(rank{r});
      const bool reached = r == me() || (mapped && world().on_node(rank{r}));
      EXPECT_EQ(s.of, rank{r});
      EXPECT_EQ(s.reachable(), reached);
      EXPECT_EQ(s.count, reached ? 10u : 0u);
    }
    const auto any = m.window.shared_query(any_rank);
    EXPECT_EQ(any.of, mapped ? lowest_on_node() : rank{me()});
    EXPECT_EQ(any.count, 10u);
    world().barrier().or_throw();
  }
}

TEST(SharedQuery, AnyRankIsTheLowestWithMemory) {
  auto w = window<int>::allocate(world(), me() == ranks() - 1 ? 3 : 0, assertion::fence);
  const auto s = w.shared_query(any_rank);
  EXPECT_EQ(s.reachable(), world().on_node(rank{ranks() - 1}));
  if (s.reachable()) {
    EXPECT_EQ(s.of, rank{ranks() - 1});
    EXPECT_EQ(s.count, 3u);
  }
  auto none = window<int>::allocate(world(), 0, assertion::fence);
  EXPECT_FALSE(none.shared_query(any_rank).reachable());
  EXPECT_FALSE(none.shared_query(rank{ranks()}).reachable());
}

TEST(SharedQuery, GivesMemoryThatPeersReallyShare) {
  auto w = window<int>::allocate(world(), 4, assertion::local_load_store | assertion::fence);
  w.local()[2] = me() + 100;
  w.fence().or_throw();
  for (int r = 0; r < ranks(); ++r) {
    if (world().on_node(rank{r})) {
      EXPECT_EQ(w.shared_query(rank{r}).span()[2], r + 100);
    }
  }
  w.fence().or_throw();
}

TEST(Segments, ListTheOneSegmentOfOrdinaryWindows) {
  auto w = window<int>::allocate(world(), 4, assertion::fence);
  const auto listed = w.segments(world().next());
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].first, disp{0});
  EXPECT_EQ(listed[0].count, 4u);
  EXPECT_EQ(listed[0].base, w.shared_query(world().next()).base);
  EXPECT_EQ(catch_error([&] { (void)w.segments(rank{ranks()}); }).code, errc::rank);
}

TEST(Attach, ManyBuffersAreListedAndReached) {
  constexpr int buffers = 200;  // peers' dynamic windows end at 48 to 64
  auto w = window<int>::create(
      world(), assertion::attach | assertion::shared_lock | assertion::multi_element);
  std::vector<std::vector<int>> memory;
  std::vector<segment<int>> mine;
  for (int b = 0; b < buffers; ++b) {
    memory.emplace_back(b + 1, me() * 1000 + b);
    mine.push_back(w.attach(memory.back()));
  }
  world().barrier().or_throw();
  const rank next = world().next();
  const auto listed = w.segments(next);
  ASSERT_EQ(listed.size(), static_cast<std::size_t>(buffers));
  auto epoch = w.lock_all();
  for (int b = 0; b < buffers; ++b) {
    const auto& s = listed[static_cast<std::size_t>(b)];
    EXPECT_EQ(s.count, static_cast<std::uint64_t>(b + 1));
    EXPECT_EQ(s.handle, mine[static_cast<std::size_t>(b)].handle);
    std::vector<int> got(s.count);
    EXPECT_EQ(outcome(w, next, w.get(next, s.first, std::span(got))), errc::success) << w.failure();
    EXPECT_EQ(got, std::vector<int>(s.count, next.value * 1000 + b));
  }
  // Across the end of a segment, and where there is none.
  std::vector<int> two(2);
  EXPECT_EQ(outcome(w, next, w.get(next, listed[0].first, std::span(two))), errc::rma_range);
  w.clear_failure();
  epoch.end().or_throw();
  world().barrier().or_throw();
  EXPECT_TRUE(w.detach(mine[0].handle).ok());
  EXPECT_EQ(w.detach(mine[0].handle).code(), errc::rma_attach);
  w.clear_failure();
  world().barrier().or_throw();
  EXPECT_EQ(w.segments(next).size(), static_cast<std::size_t>(buffers - 1));
  auto again = w.lock_all();
  int gone = 0;
  EXPECT_EQ(w.get(next, listed[0].first, gone).code(), errc::rma_range);
  w.clear_failure();
  again.end().or_throw();
  world().barrier().or_throw();
}

TEST(Attach, RefusesOverlapEmptyAndUnreachableMemory) {
  auto w = window<int>::create(world(), assertion::attach | assertion::shared_lock);
  std::vector<int> memory(10);
  w.attach(std::span(memory));
  EXPECT_EQ(catch_error([&] { w.attach(std::span(memory).subspan(9)); }).code, errc::rma_attach);
  EXPECT_EQ(catch_error([&] { w.attach(std::span<int>()); }).code, errc::rma_attach);
  EXPECT_EQ(catch_error([&] { w.attach(std::span(memory).subspan(2, 3)); }).code, errc::rma_attach);
  w.clear_failure();
  if (ranks() > 1) {
    auto x = window<int>::create(
        world(), assertion::attach |
                     (spans_nodes() ? assertion::node_load_store : assertion::remote_load_store));
    const thrown t = catch_error([&] { x.attach(std::span(memory)); });
    EXPECT_EQ(t.code, errc::rma_shared);
    EXPECT_NE(t.text.find("alloc_mem"), std::string::npos);
    x.clear_failure();
  }
}

TEST(Attach, WorksOnTheBufferGivenToCreateToo) {
  std::vector<int> first(4, 1), second(4, 2);
  auto w =
      window<int>::create(world(), std::span(first), assertion::attach | assertion::shared_lock);
  const auto added = w.attach(std::span(second));
  EXPECT_EQ(added.first, disp{4});
  world().barrier().or_throw();
  auto epoch = w.lock_all();
  EXPECT_EQ(w.get(world().next(), disp{0}), 1);
  EXPECT_EQ(w.get(world().next(), disp{4}), 2);
  w.put(world().next(), disp{5}, me()).or_throw();
  w.fetch_add(world().next(), disp{1}, 41);
  epoch.end().or_throw();
  world().barrier().or_throw();
  EXPECT_EQ(second[1], world().previous().value);
  EXPECT_EQ(first[1], 42);
  world().barrier().or_throw();
}

TEST(AllocMem, IsSharedAlignedAndChecked) {
  const auto memory = job().alloc_mem(100, {{"mpi_minimum_memory_alignment", "4096"}});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 4096, 0u);
  EXPECT_EQ(memory.size(), 100u);
  EXPECT_EQ(job().free_mem(memory.subspan(1)).code(), errc::base);
  EXPECT_TRUE(job().free_mem(memory).ok());
  EXPECT_EQ(job().free_mem(memory).code(), errc::base);
  std::array<std::byte, 8> mine{};
  EXPECT_EQ(job().free_mem(mine).code(), errc::base);
  EXPECT_EQ(catch_error([] {
              (void)job().alloc_mem(8, {{"mpi_minimum_memory_alignment", "24"}});
            }).code,
            errc::info);
  for (const std::size_t bytes : {std::size_t{1} << 45, ~std::size_t{0}, ~std::size_t{0} - 70})
    EXPECT_EQ(catch_error([bytes] { (void)job().alloc_mem(bytes); }).code, errc::no_mem);
  EXPECT_TRUE(job().alloc_mem(0).empty());
  EXPECT_TRUE(job().free_mem({}).ok());
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
