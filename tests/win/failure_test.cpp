// What a window, a team and a thrown error say of failures: which rank, which window, and why.
#include <thread>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

window<int> refusing() {
  return window<int>::allocate(world(), 8, assertion::shared_lock, {.name = "mute"});
}

const std::string whose = "window 'mute', rank ";

TEST(Failure, IsTheLastOfEachThreadAndTheFirstOfAll) {
  auto w = refusing();
  const std::array<int, 2> two{};
  EXPECT_EQ(w.failure(), "");
  EXPECT_EQ(name(w.fence().code()), "not_asserted");
  EXPECT_TRUE(says(w.failure(), whose + std::to_string(me()) + ": fence needs")) << w.failure();
  EXPECT_EQ(name(w.put(rank{me()}, disp{0}, std::span<const int>(two)).code()), "not_asserted");
  EXPECT_TRUE(says(w.failure(), "put of several elements needs")) << w.failure();
  EXPECT_TRUE(says(w.first_failure(), "fence needs")) << w.first_failure();
  std::thread([&] {
    EXPECT_TRUE(says(w.failure(), "fence needs")) << "this thread has met none: " << w.failure();
    EXPECT_FALSE(w.post({}).ok());
    EXPECT_TRUE(says(w.failure(), "post needs")) << w.failure();
  }).join();
  EXPECT_TRUE(says(w.failure(), "put of several elements needs")) << w.failure();
  auto epoch = w.lock_all();
  EXPECT_FALSE(w.flush(rank{me()}).ok());
  EXPECT_TRUE(says(w.failure(), "fence needs")) << "what flush returned: " << w.failure();
  w.clear_failure();
  EXPECT_EQ(w.failure() + w.first_failure(), "");
  EXPECT_TRUE(epoch.end().ok());
}

// Promises made when it was compiled: a flush on a node is a fence and a look.
TEST(Failure, OfAnotherThreadIsWhatAFlushThrows) {
  using inlined = window<int, assertion::shared_lock | assertion::pscw>;
  auto w = inlined::allocate(world(), 8, {.name = "mute"});
  std::thread([&] { EXPECT_FALSE(w.wait().ok()); }).join();
  const auto epoch = w.lock_all();
  const thrown t = catch_error([&] { w.flush(rank{me()}).or_throw(); });
  EXPECT_EQ(name(t.code), "rma_sync");
  EXPECT_TRUE(says(t.text, whose + std::to_string(me()) + ": wait")) << t.text;
  w.clear_failure();
  EXPECT_TRUE(w.flush(rank{me()}).ok());
}

TEST(Failure, IsWhatOrThrowThrows) {
  auto w = refusing();
  auto other = refusing();
  EXPECT_FALSE(other.post({}).ok());
  const std::array<int, 2> two{};
  const thrown t =
      catch_error([&] { w.put(rank{me()}, disp{0}, std::span<const int>(two)).or_throw(); });
  EXPECT_EQ(name(t.code), "not_asserted");
  for (const std::string& part :
       {whose + std::to_string(me()), std::string("put of several elements needs"),
        std::string("assertion::multi_element")})
    EXPECT_TRUE(says(t.text, part)) << part << " in: " << t.text;
  std::array<int, 3> three{};
  const auto sizes = [&] {
    w.get_accumulate(atomic_op::sum, rank{me()}, disp{0}, two, std::span(three)).or_throw();
  };
  EXPECT_TRUE(says(catch_error(sizes).text, "2 operands and 3 results"));
  int value = 0;
  const auto root = [&] { world().broadcast(value, rank{ranks()}).or_throw(); };
  EXPECT_TRUE(says(catch_error(root).text, "broadcast from rank " + std::to_string(ranks())));
  w.clear_failure();
  other.clear_failure();
}

// As long as nothing is noted there is nothing to say but the name.
TEST(Failure, IsTheNameWhereNothingIsKnown) {
  EXPECT_EQ(catch_error([] { status(errc::locktype).or_throw(); }).text,
            "oriel: a call returned locktype");
}

TEST(Failure, NamesTheTypesThatDiffer) {
  if (ranks() < 2) GTEST_SKIP() << "needs two ranks";
  const datatype mine = me() == 0 ? datatype::of<double>() : datatype::of<std::uint64_t>();
  const thrown t =
      catch_error([&] { any_window::allocate(world(), 4, mine, assertion::shared_lock); });
  EXPECT_EQ(name(t.code), "mismatched_assertions");
  EXPECT_TRUE(says(t.text, "rank 0 for double of extent 8 bytes, rank 1 for uint64")) << t.text;
}

}  // namespace
}  // namespace oriel::testing
