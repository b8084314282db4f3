// w[r]: ranges of elements of any rank, read and written one by one, by algorithms and as one.
#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using word = std::uint64_t;
constexpr assertion_set locked = assertion::shared_lock | assertion::local_load_store;
constexpr assertion_set several = locked | assertion::multi_element;

using typical_iterator = remote_view<word, locked>::iterator;
static_assert(std::random_access_iterator<typical_iterator>);
static_assert(std::sortable<typical_iterator>);
static_assert(std::indirectly_writable<typical_iterator, word>);

word made(int owner, std::size_t i) {
  return static_cast<word>(owner) * 1000 + i;
}

// What each rank sees of the next one's part, and leaves there.
template <class Window>
void use(Window& w, std::size_t n) {
  const rank next = world().next();
  const int me = world().me().value;
  std::vector<word> mine(n);
  for (std::size_t i = 0; i < n; ++i) mine[i] = made(me, i);
  {
    auto epoch = w.lock_all();
    std::copy(mine.begin(), mine.end(), w[world().me()].begin());
    w.flush_all().or_throw();
    world().barrier().or_throw();

    const auto theirs = w[next];
    EXPECT_EQ(theirs.owner(), next);
    ASSERT_EQ(theirs.size(), n);
    EXPECT_EQ(theirs[3], made(next.value, 3));
    EXPECT_EQ(theirs[disp{0}], made(next.value, 0));
    word i = 0;
    for (const word x : theirs) EXPECT_EQ(x, made(next.value, i++));
    EXPECT_EQ(i, n);
    EXPECT_EQ(*std::lower_bound(theirs.begin(), theirs.end(), made(next.value, 5)),
              made(next.value, 5));
    world().barrier().or_throw();

    // What was just written is read, without a flush in between.
    std::reverse(theirs.begin(), theirs.end());
    for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(theirs[k], made(next.value, n - 1 - k));
    std::ranges::sort(theirs.begin(), theirs.end());
    EXPECT_TRUE(std::is_sorted(theirs.begin(), theirs.end()));
    theirs[1] = theirs[n - 1];
    swap(theirs[2], theirs[3]);
    word loaded = 7;
    EXPECT_TRUE(theirs[2].load(loaded).ok());
    EXPECT_EQ(loaded, made(next.value, 3));
    EXPECT_TRUE(theirs[0].store(42).ok());
  }
  world().barrier().or_throw();
  EXPECT_EQ(w.local()[0], 42u);
  EXPECT_EQ(w.local()[1], made(me, n - 1));
  EXPECT_EQ(w.local()[2], made(me, 3));
  EXPECT_EQ(w.local()[3], made(me, 2));
  world().barrier().or_throw();
}

template <class Window>
void copy_at_once(Window& w, std::size_t n) {
  const rank next = world().next();
  std::vector<word> out(n), in(n);
  std::iota(out.begin(), out.end(), made(world().me().value, 0));
  {
    auto epoch = w.lock_all();
    EXPECT_TRUE(w[next].write(disp{0}, out).ok()) << w.failure();
    const std::vector<word> sent = out;
    std::fill(out.begin(), out.end(), 0);  // reusable
    EXPECT_TRUE(w[next].read(disp{0}, in).ok()) << w.failure();
    EXPECT_EQ(in, sent);
    EXPECT_TRUE(w[next].write(disp{2}, std::array<word, 2>{5, 6}).ok());
  }
  world().barrier().or_throw();
  EXPECT_EQ(w.local()[1], made((me() + ranks() - 1) % ranks(), 1));
  EXPECT_EQ(w.local()[3], 6u);
}

TEST(RemoteView, OfMappedMemoryIsARange) {
  auto w = window<word, locked>::allocate(world(), 10);
  use(w, 10);
}
TEST(RemoteView, OfMemoryThatIsMappedByPromise) {
  if (spans_nodes()) GTEST_SKIP() << "loads and stores do not reach other nodes";
  auto w = window<word, several | assertion::remote_load_store>::allocate(world(), 10);
  use(w, 10);
  copy_at_once(w, 10);
}
TEST(RemoteView, OfPromisesAtRunTime) {
  auto w = window<word>::allocate(world(), 10, several);
  use(w, 10);
  copy_at_once(w, 10);
}
TEST(RemoteView, OfPrivateMemory) {
  std::vector<word> memory(40);
  auto w = window<word, several>::create(world(), memory);
  use(w, 40);
  copy_at_once(w, 40);
}
TEST(RemoteView, CopiesManyElementsAtOnce) {
  auto w = window<word, several>::allocate(world(), 5000);
  copy_at_once(w, 5000);
}

TEST(RemoteView, KnowsThePartsOfAllRanks) {
  auto w = window<word, locked>::allocate(world(), static_cast<std::size_t>(me()) * 3);
  for (int r = 0; r < ranks(); ++r) {
    EXPECT_EQ(w[rank{r}].size(), static_cast<std::size_t>(r) * 3);
    EXPECT_EQ(w[rank{r}].empty(), r == 0);
  }
  EXPECT_EQ(w[rank{ranks()}].size(), 0u);
  EXPECT_EQ(w[any_rank].size(), 0u);
}

TEST(RemoteView, OfAttachedMemoryHasElementsAndNoSize) {
  auto w = window<word, locked | assertion::attach>::create(world());
  std::vector<word> memory(4, 9);
  const auto s = w.attach(memory);
  world().barrier().or_throw();
  const disp first = w.segments(world().next())[0].first;
  world().barrier().or_throw();
  {
    auto epoch = w.lock_all();
    EXPECT_EQ(w[world().next()][first + 2], 9u);
    w[world().next()][first + 2] = 8;
    EXPECT_EQ(w[world().next()][first + 2], 8u);
  }
  world().barrier().or_throw();
  EXPECT_EQ(memory[2], 8u);
  EXPECT_TRUE(w.detach(s.handle).ok());
  auto at_run_time = window<word>::create(world(), locked | assertion::attach);
  EXPECT_EQ(at_run_time[world().me()].size(), 0u);
}

TEST(RemoteView, NeedsLocks) {
  auto w = window<word>::allocate(world(), 4, assertion::fence);
  const auto refused = catch_error([&] { static_cast<void>(w[rank{0}]); });
  EXPECT_EQ(refused.code, errc::not_asserted);
  EXPECT_NE(refused.text.find("shared_lock"), std::string::npos) << refused.text;
  auto one = window<word>::allocate(world(), 4, locked);
  std::array<word, 2> two{3, 4};
  EXPECT_EQ(one[rank{0}].read(disp{0}, two).code(), errc::not_asserted);
  EXPECT_EQ(one[rank{0}].write(disp{0}, two).code(), errc::not_asserted);
  EXPECT_EQ(two[0], 3u);
}

TEST(RemoteView, OfAWindowThatIsFreedFails) {
  auto w = window<word, locked>::allocate(world(), 4);
  const auto theirs = w[rank{0}];
  w.free().or_throw();
  word unchanged = 5;
  EXPECT_EQ(theirs[0].load(unchanged).code(), errc::win);
  EXPECT_EQ(theirs[0].store(1).code(), errc::win);
  EXPECT_EQ(unchanged, 5u);
  EXPECT_EQ(theirs[0], 0u);
  EXPECT_EQ(theirs.begin(), theirs.end());
}

TEST(RemoteView, LatchesWhatItCannotReturn) {
  std::vector<word> memory(4, 1);
  auto w = window<word, locked | assertion::attach>::create(world());
  auto epoch = w.lock_all();
  EXPECT_EQ(w[rank{0}][disp{1 << 20}], 0u);  // nothing is attached there
  EXPECT_EQ(w.flush(rank{0}).code(), errc::rma_range);
  EXPECT_FALSE(w.first_failure().empty());
  w.clear_failure();
}

}  // namespace
}  // namespace oriel::testing
