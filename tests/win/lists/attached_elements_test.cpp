// Lists and gathered operations on what ranks attach: which elements there are, their owner alone
// knows.
#include <numeric>
#include <random>

#include "tests/support/seed.hpp"
#include "tests/win/lists/gathering.hpp"
#include "tests/win/lists/window_messages.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set attaches = simple | assertion::attach;

// Three buffers of each rank, one of which all ranks of the node map.
class attached_buffers {
 public:
  static constexpr std::uint64_t each = 500, all = 3 * each;

  explicit attached_buffers(const window_options& options)
      : window_(oriel::window<std::uint64_t, attaches>::create(world(), options)) {
    shared_ = job().alloc_mem(each * sizeof(std::uint64_t));
    const std::span second(reinterpret_cast<std::uint64_t*>(shared_.data()), each);
    std::ranges::fill(second, 0);
    for (const auto& part : {std::span(first_), second, std::span(third_)}) {
      attached_.push_back(window_.attach(part));
      parts_.push_back(part);
    }
    meet();
  }
  ~attached_buffers() {
    meet();
    window_.free().or_throw();
    job().free_mem(shared_).or_throw();
  }
  attached_buffers(const attached_buffers&) = delete;
  attached_buffers& operator=(const attached_buffers&) = delete;

  auto& window() { return window_; }
  [[nodiscard]] std::uint64_t sum() const {
    std::uint64_t n = 0;
    for (const auto& part : parts_) n = std::accumulate(part.begin(), part.end(), n);
    return n;
  }
  // Behind the last.
  [[nodiscard]] disp beyond() const {
    return disp{attached_.back().first.value + attached_.back().count};
  }

 private:
  oriel::window<std::uint64_t, attaches> window_;
  std::vector<std::uint64_t> first_ = std::vector<std::uint64_t>(each), third_ = first_;
  std::span<std::byte> shared_;
  std::vector<segment<std::uint64_t>> attached_;
  std::vector<std::span<std::uint64_t>> parts_;
};

window_options options_of(bool gathers) {
  window_options o = gathering();
  o.aggregate = gathers;
  return o;
}

// The same displacements at each rank, which attaches as much.
struct random_lists_of_all {
  explicit random_lists_of_all(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t j = 0; j < n; ++j) {
      ranks.push_back(rank{static_cast<int>(random() % static_cast<unsigned>(world().size()))});
      disps.push_back(disp{random() % attached_buffers::all});
    }
  }
  std::vector<rank> ranks;
  std::vector<disp> disps;
};

class AttachedElements : public ::testing::TestWithParam<bool> {};

TEST_P(AttachedElements, OfListsAndSingleOperationsAreAllFound) {
  const std::uint64_t s = seed_or(9) + static_cast<unsigned>(me());
  attached_buffers made(options_of(GetParam()));
  auto& w = made.window();
  const std::size_t n = 3000;
  const random_lists_of_all lists(n, s);
  const std::vector<std::uint64_t> ones(n, 1);
  std::vector<std::uint64_t> before(n, 7), now(n, 7);
  {
    auto epoch = w.lock_all();
    ASSERT_TRUE(w.accumulate(atomic_op::sum, lists.ranks, lists.disps, ones).ok()) << w.failure();
    for (std::size_t j = 0; j < n; ++j)
      ASSERT_TRUE(w.add(lists.ranks[j], lists.disps[j], 1).ok()) << w.failure();
    ASSERT_TRUE(w.fetch_op(atomic_op::sum, lists.ranks, lists.disps, ones, before).ok());
    ASSERT_TRUE(w.flush_all().ok()) << w.failure();
    meet();
    ASSERT_TRUE(w.gather(lists.ranks, lists.disps, now).ok());
    ASSERT_TRUE(w.flush_all().ok()) << w.failure();
    for (std::size_t j = 0; j < n; ++j) {
      ASSERT_GE(before[j], 2u) << "seed " << s;
      ASSERT_GE(now[j], 3u) << "seed " << s;
    }
    meet();
  }
  EXPECT_EQ(world().allreduce(made.sum(), atomic_op::sum),
            3 * n * static_cast<unsigned>(world().size()))
      << "seed " << s;
}

TEST_P(AttachedElements, OfListsTakeFewMessagesToPrivateMemory) {
  constexpr std::uint64_t n = 4000;
  attached_buffers made(options_of(GetParam()));
  auto& w = made.window();
  const rank to = far_or_next();
  if (to != rank{me()}) {
    auto epoch = w.lock_all();
    const std::vector<rank> ranks(n, to);
    std::vector<disp> disps;
    for (std::uint64_t j = 0; j < n; ++j) disps.push_back(disp{j % attached_buffers::each});
    const std::vector<std::uint64_t> ones(n, 1);
    const sent_messages messages(w.any());
    ASSERT_TRUE(w.accumulate(atomic_op::sum, ranks, disps, ones).ok());
    ASSERT_TRUE(w.flush(to).ok());
    EXPECT_LT(messages.count(), n / 50 + messages.most_early());
  }
}

// The others are performed, and what is wrong is told with the rank.
TEST_P(AttachedElements, ThatAreNotThereLoseNoOther) {
  attached_buffers made(options_of(GetParam()));
  auto& w = made.window();
  const rank to = far_or_next();
  const std::uint64_t n = 200;
  const std::vector<rank> ranks(n, to);
  std::vector<disp> disps(n, disp{static_cast<std::uint64_t>(me())});
  disps[n / 2] = made.beyond();
  const std::vector<std::uint64_t> ones(n, 1);
  std::uint64_t added = 0;
  {
    auto epoch = w.lock_all();
    const bool begun = w.accumulate(atomic_op::sum, ranks, disps, ones).ok();
    const status all = w.flush(to);
    EXPECT_TRUE(!begun || all.code() == errc::rma_range);
    EXPECT_NE(w.failure().find("rank " + std::to_string(to.value)), std::string::npos)
        << w.failure();
    w.clear_failure();
    // Where each is tried by itself, those behind it are not begun.
    ASSERT_TRUE(w.get(to, disps[0], added).ok()) << w.failure();
    ASSERT_TRUE(w.flush(to).ok()) << w.failure();
    EXPECT_GE(added, n / 2);
    meet();
  }
}

// What no packet could name, or would name otherwise.
TEST_P(AttachedElements, OfALayoutThatAreNowhereLoseAndChangeNoOther) {
  constexpr std::uint64_t n = 200;
  auto w = oriel::window<std::uint64_t>::create(
      world(), attaches | assertion::multi_element | assertion::user_datatype,
      options_of(GetParam()));
  std::vector<std::uint64_t> there(2 * n, 0);
  const auto first = world().allgather(w.attach(std::span(there)).first.value);
  const rank to = far_or_next();
  const auto at = [&](std::uint64_t i) {
    return disp{first[static_cast<std::size_t>(to.value)] + i};
  };
  const auto word = datatype::of<std::uint64_t>();
  const shape three{word, 3}, upwards{datatype::vector(3, 1, -1, word), 1},
      apart{datatype::vector(3, 1, 2, word), 1};
  const std::array<std::uint64_t, 3> wrong{1000, 1000, 1000};
  const std::uint64_t own = n / static_cast<unsigned>(world().size());
  const std::array wrong_places{std::pair{at(0), upwards},  // but for its first piece
                                std::pair{disp{std::uint64_t{1} << 52}, apart},
                                std::pair{disp{std::uint64_t{1} << 60}, apart},
                                std::pair{disp{~std::uint64_t{0}}, upwards}};
  {
    auto epoch = w.lock_all();
    for (const auto& [where, how] : wrong_places) {
      for (std::uint64_t k = 1; k <= own; ++k)
        ASSERT_TRUE(w.add(to, at(static_cast<unsigned>(me()) * own + k), 1).ok());
      const status begun = w.put(to, where, wrong.data(), three, how);
      const status added = w.accumulate(atomic_op::sum, to, where, wrong.data(), three, how);
      const status run = w.accumulate(atomic_op::sum, to, disp{~std::uint64_t{0} / 2},
                                      std::span<const std::uint64_t>(wrong));
      // Alone it goes to its owner, and the flush tells.
      EXPECT_TRUE(run.code() == errc::rma_range || (run.ok() && !GetParam()));
      const status all = w.flush(to);
      for (const status& e : {begun, added}) EXPECT_TRUE(e.ok() || e.code() == errc::rma_range);
      EXPECT_EQ(all.code(), errc::rma_range);
      EXPECT_NE(w.failure().find("rank " + std::to_string(to.value)), std::string::npos)
          << w.failure();
      w.clear_failure();
    }
    meet();
  }
  const std::span others = std::span(there).subspan(1);
  EXPECT_EQ(
      std::accumulate(others.begin(), others.end(), std::uint64_t{0}) % (wrong_places.size() * own),
      0u);
  EXPECT_LT(*std::ranges::max_element(others), wrong[0]);
  meet();
  w.free().or_throw();
}

INSTANTIATE_TEST_SUITE_P(Lists, AttachedElements, ::testing::Values(false, true),
                         [](const auto& of) { return of.param ? "Gathered" : "Alone"; });

}  // namespace
}  // namespace oriel::testing
