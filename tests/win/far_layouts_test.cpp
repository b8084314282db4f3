// Layouts between nodes that take messages of 64 KiB: several origins of one owner, both ways at
// once, and before and behind short accumulates of the same elements.
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using number = std::uint32_t;
constexpr auto promise = assertion::shared_lock | assertion::multi_element |
                         assertion::user_datatype | assertion::local_load_store;

// Blocks that lie a third further apart than they are long, on one side, and twice on the other.
struct comb {
  std::size_t blocks, length;

  [[nodiscard]] std::size_t elements() const { return blocks * length; }
  [[nodiscard]] std::size_t stride_here() const { return length + length / 3 + 1; }
  [[nodiscard]] std::size_t stride_there() const { return 2 * length; }
  [[nodiscard]] std::size_t room_here() const { return blocks * stride_here(); }
  [[nodiscard]] std::size_t room_there() const { return blocks * stride_there(); }
  [[nodiscard]] shape here() const { return every(stride_here()); }
  [[nodiscard]] shape there() const { return every(stride_there()); }

 private:
  [[nodiscard]] shape every(std::size_t stride) const {
    return {datatype::vector(blocks, length, static_cast<std::ptrdiff_t>(stride),
                             datatype::of<number>()),
            1};
  }
};

// Less than one message of 64 KiB, hardly more, and more than there is room for at once; of blocks
// that messages divide and such that they do not.
const std::vector<comb> combs{{3000, 5},  {16400, 1}, {40, 1021}, {256, 512},
                              {97, 3001}, {7, 5000},  {20, 17000}};

template <class F>
void for_far_ranks(F f) {
  for (int r = 0; r < ranks(); ++r)
    if (!world().on_node(rank{r})) f(rank{r});
}

// The place of the i-th element in a comb's buffer.
std::size_t place(const comb& c, std::size_t stride, std::size_t i) {
  return i / c.length * stride + i % c.length;
}

TEST(FarLayouts, ArePutAndGotWhole) {
  for (const comb& c : combs) {
    SCOPED_TRACE(std::to_string(c.blocks) + " blocks of " + std::to_string(c.length));
    const std::size_t part = c.room_there();  // of each origin
    const auto n = static_cast<std::size_t>(ranks());
    auto w = window<number, promise>::allocate(world(), part * n);
    const auto epoch = w.lock_all();
    const disp mine{part * static_cast<std::size_t>(me())};
    for (number round = 1; round <= 4; ++round) {
      const auto value = [&](std::size_t i, int from, rank to) {
        return static_cast<number>(i) * 64 + static_cast<number>(from * 8 + to.value) + round;
      };
      std::vector<std::vector<number>> sent;
      for_far_ranks([&](rank r) {
        std::vector<number>& from = sent.emplace_back(c.room_here());
        for (std::size_t i = 0; i < c.elements(); ++i)
          from[place(c, c.stride_here(), i)] = value(i, me(), r);
        ASSERT_TRUE(w.put(r, mine, from.data(), c.here(), c.there()).ok()) << w.failure();
      });
      ASSERT_TRUE(w.flush_all().ok()) << w.failure();
      world().barrier().or_throw();
      w.sync().or_throw();
      for_far_ranks([&](rank r) {
        const std::size_t first = part * static_cast<std::size_t>(r.value);
        for (std::size_t i = 0; i < c.elements(); ++i)
          ASSERT_EQ(w.local()[first + place(c, c.stride_there(), i)], value(i, r.value, rank{me()}))
              << i << " of rank " << r.value;
        std::vector<number> got(c.room_here(), 7);
        ASSERT_TRUE(w.get(r, mine, got.data(), c.here(), c.there()).ok()) << w.failure();
        ASSERT_TRUE(w.flush(r).ok()) << w.failure();
        for (std::size_t i = 0; i < c.elements(); ++i)
          ASSERT_EQ(got[place(c, c.stride_here(), i)], value(i, me(), r)) << i;
        for (std::size_t b = 0; b < c.blocks; ++b)
          ASSERT_EQ(got[b * c.stride_here() + c.length], 7u) << "behind block " << b;
      });
      world().barrier().or_throw();
    }
  }
}

TEST(FarLayouts, AreSummedUpOfSeveralOrigins) {
  for (const comb& c : combs) {
    SCOPED_TRACE(std::to_string(c.blocks) + " blocks of " + std::to_string(c.length));
    auto w = window<number, promise>::allocate(world(), c.room_there());
    const std::vector<number> ones(c.room_here(), 1);
    constexpr number rounds = 6;
    {
      const auto epoch = w.lock_all();
      for (number round = 0; round < rounds; ++round)
        for_far_ranks([&](rank r) {
          ASSERT_TRUE(
              w.accumulate(atomic_op::sum, r, disp{0}, ones.data(), c.here(), c.there()).ok())
              << w.failure();
        });
    }
    world().barrier().or_throw();
    number far = 0;
    for_far_ranks([&](rank) { ++far; });
    for (std::size_t b = 0; b < c.blocks; ++b) {
      ASSERT_EQ(w.local()[b * c.stride_there()], far * rounds) << b;
      ASSERT_EQ(w.local()[b * c.stride_there() + c.length - 1], far * rounds) << b;
      ASSERT_EQ(w.local()[b * c.stride_there() + c.length], 0u) << b;
    }
    world().barrier().or_throw();
  }
}

// What the elements held comes back, each value once.
TEST(FarLayouts, AreFetchedAsTheyAreAdded) {
  const comb c{97, 3001};
  constexpr auto fetching = promise | assertion::ordered_accumulate;
  auto w = window<number, fetching>::allocate(world(), c.room_there());
  const std::vector<number> ones(c.room_here(), 1);
  const auto epoch = w.lock_all();
  const rank far{(me() + ranks() / 2) % ranks()};
  for (number round = 0; round < 5; ++round) {
    std::vector<number> before(c.room_here(), 77);
    ASSERT_TRUE(w.any()
                    .get_accumulate(atomic_op::sum, far, disp{0}, ones.data(), c.here(),
                                    before.data(), c.here(), c.there())
                    .ok())
        << w.failure();
    ASSERT_TRUE(w.flush(far).ok()) << w.failure();
    for (std::size_t i = 0; i < c.elements(); ++i)
      ASSERT_EQ(before[place(c, c.stride_here(), i)], round) << i;
  }
  world().barrier().or_throw();
}

// Each replaces what the one before it has left, long ones and short ones in turn.
TEST(FarLayouts, KeepTheOrderOfAccumulates) {
  constexpr auto ordered = promise | assertion::ordered_accumulate;
  const comb c{60, 2500};
  const std::size_t last = place(c, c.stride_there(), c.elements() - 1);
  auto w = window<number, ordered>::allocate(world(), c.room_there());
  const auto epoch = w.lock_all();
  const rank far{(me() + ranks() / 2) % ranks()};
  constexpr number rounds = 60;
  for (number round = 1; round <= rounds; ++round) {
    const std::vector<number> values(c.room_here(), 2 * round);
    const auto replace = [&](std::size_t i, number v) {
      ASSERT_TRUE(
          w.accumulate(atomic_op::replace, far, disp{i}, std::span<const number>(&v, 1)).ok());
    };
    replace(last, 2 * round - 1);
    ASSERT_TRUE(
        w.accumulate(atomic_op::replace, far, disp{0}, values.data(), c.here(), c.there()).ok())
        << w.failure();
    if (round % 2 == 0) replace(0, 2 * round + 1);
    if (round % 3 != 0) continue;
    ASSERT_TRUE(w.flush(far).ok()) << w.failure();
    number first_there = 0, last_there = 0;
    w.get(far, disp{0}, std::span(&first_there, 1)).or_throw();
    w.get(far, disp{last}, std::span(&last_there, 1)).or_throw();
    ASSERT_TRUE(w.flush(far).ok()) << w.failure();
    EXPECT_EQ(first_there, 2 * round + (round % 2 == 0 ? 1 : 0));
    EXPECT_EQ(last_there, 2 * round);
  }
  world().barrier().or_throw();
}

}  // namespace
}  // namespace oriel::testing
