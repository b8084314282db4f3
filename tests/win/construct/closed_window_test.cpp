// Windows that have been freed or moved from, or were never made, and windows that are freed inside
// an epoch: errors, and nothing that reads what is gone.
#include <memory>
#include <optional>
#include <vector>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set all_kinds = assertion::shared_lock | assertion::exclusive_lock |
                                    assertion::fence | assertion::pscw | assertion::multi_element |
                                    assertion::user_datatype | assertion::attach |
                                    assertion::notify | assertion::local_load_store;
constexpr assertion_set inlined = all_kinds.without(assertion::attach);

template <class Window>
Window make() {
  if constexpr (std::is_same_v<Window, window<std::uint64_t, inlined>>)
    return Window::allocate(world(), 8);
  else
    return Window::allocate(world(), 8, inlined);
}

// Every operation that a window has, but for those that this one does not promise.
template <class Window>
void expect_closed(Window& w) {
  EXPECT_FALSE(w.valid());
  const rank r{ranks() - 1};
  const disp i{3};
  std::vector<std::uint64_t> many(4, 7), before(4, 9);
  const std::span<const std::uint64_t> values(many);
  std::uint64_t value = 5;
  const auto closed = [](status s) { return s.code() == errc::win; };
  EXPECT_TRUE(closed(w.put(r, i, 1)));
  EXPECT_TRUE(closed(w.get(r, i, value)));
  EXPECT_EQ(w.get(r, i), 0u);
  EXPECT_TRUE(closed(w.put(r, i, values)));
  EXPECT_TRUE(closed(w.get(r, i, std::span(before))));
  EXPECT_TRUE(closed(w.add(r, i, 1)));
  EXPECT_TRUE(closed(w.accumulate(atomic_op::min, r, i, 1)));
  EXPECT_TRUE(closed(w.template fetch_op<atomic_op::sum>(r, i, 1, value)));
  EXPECT_TRUE(closed(w.compare_swap(r, i, 0, 1, value)));
  EXPECT_TRUE(closed(w.accumulate(atomic_op::sum, r, i, values)));
  EXPECT_TRUE(closed(w.get_accumulate(atomic_op::sum, r, i, values, std::span(before))));
  EXPECT_TRUE(closed(w.rput(r, i, values).wait()));
  EXPECT_TRUE(closed(w.rget(r, i, std::span(before)).wait()));
  EXPECT_TRUE(closed(w.raccumulate(atomic_op::sum, r, i, values).wait()));
  EXPECT_TRUE(closed(w.rget_accumulate(atomic_op::sum, r, i, values, std::span(before)).wait()));
  const shape one{datatype::of<std::uint64_t>(), 1};
  EXPECT_TRUE(closed(w.put(r, i, &value, one, one)));
  EXPECT_TRUE(closed(w.put_notify(r, i, 1, 0)));
  EXPECT_TRUE(closed(w.put_notify(r, i, &value, one, one, 0)));
  EXPECT_TRUE(closed(w.wait_notify(0, 1)));
  std::size_t counter = 5;
  EXPECT_TRUE(closed(w.wait_notify_any(0, std::array<std::uint64_t, 1>{1}, counter)));
  EXPECT_EQ(counter, 5u);
  EXPECT_EQ(w.notified(0), 0u);
  EXPECT_EQ(value, 5u) << "a result was stored without success";
  EXPECT_EQ(before, std::vector<std::uint64_t>(4, 9)) << "a result was stored without success";

  EXPECT_TRUE(closed(w.fence()));
  EXPECT_TRUE(closed(w.post(std::array{r})));
  EXPECT_TRUE(closed(w.wait()));
  EXPECT_TRUE(w.test()) << "there is nothing to wait for";
  EXPECT_TRUE(closed(w.start(std::array{r}).opened()));
  EXPECT_TRUE(closed(w.lock_shared(r).opened()));
  EXPECT_TRUE(closed(w.lock_exclusive(r).opened()));
  EXPECT_TRUE(closed(w.lock_all().opened()));
  EXPECT_TRUE(closed(w.flush(r)));
  EXPECT_TRUE(closed(w.flush_all()));
  EXPECT_TRUE(closed(w.flush_local(r)));
  EXPECT_TRUE(closed(w.sync()));

  EXPECT_TRUE(w.local().empty());
  EXPECT_EQ(w.shared_query(r).count, 0u);
  EXPECT_FALSE(w.shared_query(any_rank).reachable());
  EXPECT_EQ(catch_error([&] { static_cast<void>(w.segments(r)); }).code, errc::win);
  EXPECT_EQ(catch_error([&] { static_cast<void>(w.kernel_view()); }).code, errc::win);
  EXPECT_FALSE(w.members().valid());
  EXPECT_TRUE(w.name().empty());
  EXPECT_EQ(w.assertions(), assertion_set{});
  EXPECT_EQ(w.hints().size(), 0u);
  EXPECT_NE(w.explain().find("freed or moved from"), std::string::npos);
  EXPECT_NE(w.failure().find("freed or moved from"), std::string::npos);
  EXPECT_NE(w.first_failure().find("freed or moved from"), std::string::npos);
  w.clear_failure();
  EXPECT_TRUE(closed(w.put(r, i, 1)));
  EXPECT_TRUE(w.free().ok()) << "there is nothing to free";
}

template <class Window>
class Closed : public ::testing::Test {};
using windows = ::testing::Types<window<std::uint64_t, inlined>, window<std::uint64_t>>;
TYPED_TEST_SUITE(Closed, windows);

TYPED_TEST(Closed, WindowsThatWereNeverMadeSaySo) {
  TypeParam w;
  expect_closed(w);
}

TYPED_TEST(Closed, WindowsThatAreFreedSaySo) {
  auto w = make<TypeParam>();
  ASSERT_TRUE(w.valid());
  EXPECT_TRUE(w.free().ok());
  expect_closed(w);
}

TYPED_TEST(Closed, WindowsThatAreMovedFromSaySo) {
  auto w = make<TypeParam>();
  auto epoch = w.lock_all();
  auto other = std::move(w);
  expect_closed(w);  // NOLINT: that is what is tested
  EXPECT_TRUE(epoch.end().ok()) << "the epoch moves along";
  EXPECT_TRUE(other.lock_all().opened().ok());
  w = std::move(other);
  expect_closed(other);  // NOLINT
  EXPECT_TRUE(w.lock_all().opened().ok());
}

TEST(Closed, WindowsWithAttachedMemorySaySo) {
  auto w = window<int>::create(world(), all_kinds);
  EXPECT_TRUE(w.free().ok());
  int value = 0;
  EXPECT_EQ(catch_error([&] { w.attach(std::span(&value, 1)); }).code, errc::win);
  EXPECT_EQ(w.detach(segment_handle{}).code(), errc::win);
}

// What asks no table cannot find out: these synchronize, and their windows' accesses are bare.
TEST(Closed, FlushesOfWindowsThatAreMappedEverywhereSaySo) {
  if (spans_nodes()) GTEST_SKIP() << "remote_load_store needs one node";
  constexpr auto promise = assertion::remote_load_store | assertion::shared_lock;
  auto w = window<int, promise>::allocate(world(), 1);
  EXPECT_TRUE(w.free().ok());
  EXPECT_EQ(w.flush(rank{0}).code(), errc::win);
  EXPECT_EQ(w.lock_all().opened().code(), errc::win);
  EXPECT_TRUE(w.remote(rank{0}).empty());
}

// The free ends the epoch, and its object knows.
template <class Window, class Open>
void free_inside(Open open, const char* named) {
  auto w = make<Window>();
  auto epoch = open(w);
  ASSERT_TRUE(epoch.opened().ok());
  EXPECT_EQ(w.free().code(), errc::rma_sync) << named;
  EXPECT_FALSE(w.valid());
  EXPECT_EQ(epoch.end().code(), errc::win) << named;
  EXPECT_TRUE(epoch.end().ok()) << "it ends once";
  // And where nobody asks.
  auto again = std::make_unique<Window>(make<Window>());
  auto longer = open(*again);
  again.reset();
}

TYPED_TEST(Closed, FreeEndsTheEpochsThatAreOpen) {
  using W = TypeParam;
  const rank next = world().next();
  free_inside<W>([&](W& w) { return w.lock_shared(next); }, "lock_shared");
  free_inside<W>([&](W& w) { return w.lock_exclusive(next); }, "lock_exclusive");
  free_inside<W>([&](W& w) { return w.lock_exclusive(next, nocheck); }, "nocheck");
  free_inside<W>([](W& w) { return w.lock_all(); }, "lock_all");
  free_inside<W>(
      [&](W& w) {
        EXPECT_TRUE(w.post(std::array{world().previous()}).ok());
        return w.start(std::array{next});
      },
      "start");
}

TYPED_TEST(Closed, FreeEndsSeveralLocks) {
  auto w = make<TypeParam>();
  std::vector<epoch> epochs;
  for (int r = 0; r < ranks(); ++r) epochs.push_back(w.lock_shared(rank{r}));
  EXPECT_EQ(w.free().code(), errc::rma_sync);
  for (epoch& e : epochs) EXPECT_EQ(e.end().code(), errc::win);
}

TYPED_TEST(Closed, FreeAfterAPostIsAnError) {
  auto w = make<TypeParam>();
  EXPECT_TRUE(w.post(std::array{world().previous()}).ok());
  EXPECT_EQ(w.free().code(), errc::rma_sync);
}

// A rank that forgets its lock keeps nobody waiting.
TYPED_TEST(Closed, FreeGivesLocksBack) {
  auto w = make<TypeParam>();
  const rank zero{0};
  if (me() == 0) {
    auto forgotten = w.lock_exclusive(zero);
    world().barrier().or_throw();
    EXPECT_EQ(w.free().code(), errc::rma_sync);
  } else {
    world().barrier().or_throw();
    auto waited = w.lock_exclusive(zero);
    EXPECT_TRUE(waited.opened().ok()) << w.failure();
    EXPECT_TRUE(waited.end().ok());
    EXPECT_TRUE(w.free().ok());
  }
}

// A fence ends an epoch and opens the next: who frees then has ended them all.
TYPED_TEST(Closed, FreeAfterAFenceIsRight) {
  auto w = make<TypeParam>();
  EXPECT_TRUE(w.fence().ok());
  EXPECT_TRUE(w.put(world().next(), disp{0}, 1).ok());
  EXPECT_TRUE(w.fence().ok());
  EXPECT_TRUE(w.free().ok());
}

// Assigning over a window frees it, epochs and all.
TYPED_TEST(Closed, AssignmentFreesWhatWasThere) {
  auto w = make<TypeParam>();
  auto epoch = w.lock_all();
  w = make<TypeParam>();
  EXPECT_EQ(epoch.end().code(), errc::win);
  auto next = w.lock_all();
  EXPECT_TRUE(w.put(world().next(), disp{0}, 1).ok());
  EXPECT_TRUE(next.end().ok());
}

TEST(Closed, AnyWindowsSaySo) {
  any_window w = any_window::allocate(world(), 4, datatype::of(primitive::int32), inlined);
  EXPECT_TRUE(w.lock_all().ok());
  EXPECT_EQ(w.free().code(), errc::rma_sync);
  EXPECT_FALSE(w.valid());
  int value = 0;
  EXPECT_EQ(w.put(rank{0}, disp{0}, &value).code(), errc::win);
  EXPECT_EQ(w.unlock_all().code(), errc::win);
  EXPECT_EQ(w.fetch_op(atomic_op::sum, primitive::int32, rank{0}, disp{0}, &value, &value).code(),
            errc::win);
  EXPECT_EQ(w.base().size(), 0u);
  EXPECT_EQ(w.metadata_bytes(), 0u);
  EXPECT_EQ(w.local(), nullptr);
}

}  // namespace
}  // namespace oriel::testing
