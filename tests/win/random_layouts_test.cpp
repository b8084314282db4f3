// Random layouts on both sides of puts, gets and accumulates, on every way a window can be had:
// with pieces of all lengths in any order, before the displacement too, of more than one message.
#include <numeric>
#include <random>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

using number = std::int32_t;
constexpr std::size_t room = 20'000;           // elements of a buffer, and of a rank
constexpr std::ptrdiff_t middle = room / 2;    // where displacements count from
constexpr std::size_t most_elements = 12'000;  // of a layout

// Elements at random places, and the datatype that lays them out around the buffer's middle.
struct random_layout {
  std::vector<std::size_t> lengths;
  std::vector<std::ptrdiff_t> places;  // of blocks, in elements from the middle
  std::vector<std::size_t> elements;   // one by one, from the buffer's begin
  shape all{datatype::of<number>(), 0};
};

class layout_maker {
 public:
  explicit layout_maker(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  // Of `n` elements, at most most_elements.
  random_layout make(std::size_t n) {
    switch (below(3)) {
      case 0:
        return strided(n);
      case 1:
        return scattered(n, 3);
      default:
        return scattered(n, 1 + below(5000));
    }
  }
  std::vector<number> values() {
    std::vector<number> all(room);
    for (number& v : all) v = static_cast<number>(below(1000));
    return all;
  }

 private:
  // Equal blocks at equal distances, from the first to the last or backwards.
  random_layout strided(std::size_t n) {
    std::size_t block = 1 + below(30);
    while (n % block != 0) --block;
    const std::size_t blocks = n / block;
    const std::size_t gap = below((room - n) / blocks + 1);
    const auto stride = static_cast<std::ptrdiff_t>(block + gap);
    const bool backwards = below(2) == 0;
    const std::size_t spare = room - (blocks * (block + gap) - gap);
    const auto low = static_cast<std::ptrdiff_t>(below(spare + 1)) - middle;
    random_layout made;
    for (std::size_t b = 0; b < blocks; ++b)
      add(made, block, low + stride * static_cast<std::ptrdiff_t>(backwards ? blocks - 1 - b : b));
    const datatype one = datatype::contiguous(block, datatype::of<number>());
    const std::ptrdiff_t apart = (backwards ? -stride : stride) * std::ptrdiff_t{sizeof(number)};
    const std::ptrdiff_t first = made.places[0] * std::ptrdiff_t{sizeof(number)};
    const datatype many = datatype::hvector(blocks, 1, apart, one);
    const std::array<std::size_t, 1> once{1};
    made.all = {datatype::hindexed(once, std::array{first}, many), 1};
    return made;
  }
  // Blocks of at most `longest` elements in any order.
  random_layout scattered(std::size_t n, std::size_t longest) {
    std::vector<std::size_t> lengths;
    for (std::size_t left = n; left != 0; left -= lengths.back())
      lengths.push_back(std::min(left, 1 + below(longest)));
    std::size_t spare = room - n;
    std::ptrdiff_t at = -middle;
    std::vector<std::pair<std::size_t, std::ptrdiff_t>> blocks;
    for (const std::size_t length : lengths) {
      const std::size_t gap = std::min(spare, below(2 * (room - n) / lengths.size() + 2));
      spare -= gap;
      at += static_cast<std::ptrdiff_t>(gap);
      blocks.emplace_back(length, at);
      at += static_cast<std::ptrdiff_t>(length);
    }
    if (below(2) == 0) std::shuffle(blocks.begin(), blocks.end(), random_);
    random_layout made;
    for (const auto& [length, place] : blocks) add(made, length, place);
    made.all = {datatype::indexed(made.lengths, made.places, datatype::of<number>()), 1};
    return made;
  }
  static void add(random_layout& made, std::size_t length, std::ptrdiff_t place) {
    made.lengths.push_back(length);
    made.places.push_back(place);
    for (std::size_t i = 0; i < length; ++i)
      made.elements.push_back(static_cast<std::size_t>(place + middle) + i);
  }

  std::mt19937 random_;
};

class RandomLayouts : public ::testing::TestWithParam<made> {
 protected:
  // One origin accesses each target, and knows what is there.
  // Of owners that answer soon the first few transfers are the kernel's.
  const unsigned turns = GetParam() == made::private_of_prompt_owners ? 30 : 8;
  static constexpr disp centre{static_cast<std::uint64_t>(middle)};
  static constexpr assertion_set promised =
      assertion::shared_lock | assertion::multi_element | assertion::user_datatype;
};

TEST_P(RandomLayouts, ArePutAndRead) {
  made_window m(GetParam(), room, datatype::of<number>(), promised);
  any_window& w = m.window;
  const rank target = world().next();
  std::vector<number> there(room, 0);  // as it is to be
  w.lock_all().or_throw();
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned seed = 100 * turn + static_cast<unsigned>(me());
    SCOPED_TRACE("seed " + std::to_string(seed));
    layout_maker make(seed);
    const std::size_t n = 1 + make.below(turn % 2 == 0 ? most_elements : 20);
    const random_layout from = make.make(n), to = make.make(n), into = make.make(n);
    std::vector<number> here = make.values(), read(room, -1), expected(room, -1), all(room, -1);
    for (std::size_t i = 0; i < n; ++i) there[to.elements[i]] = here[from.elements[i]];
    for (std::size_t i = 0; i < n; ++i) expected[into.elements[i]] = there[to.elements[i]];
    const bool by_request = make.below(2) == 0;
    if (by_request) {
      EXPECT_TRUE(w.rput(target, centre, here.data() + middle, from.all, to.all).wait().ok());
      std::fill(here.begin(), here.end(), -2);  // it is reusable
    } else {
      EXPECT_TRUE(w.put(target, centre, here.data() + middle, from.all, to.all).ok());
    }
    EXPECT_TRUE(w.flush(target).ok()) << w.failure();
    if (by_request) {
      EXPECT_TRUE(w.rget(target, centre, read.data() + middle, into.all, to.all).wait().ok());
      EXPECT_EQ(read, expected);
    } else {
      EXPECT_TRUE(w.get(target, centre, read.data() + middle, into.all, to.all).ok());
    }
    EXPECT_TRUE(w.get(target, disp{0}, all.data(), room).ok());
    EXPECT_TRUE(w.flush(target).ok()) << w.failure();
    EXPECT_EQ(read, expected);
    EXPECT_EQ(all, there);
  }
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  world().barrier().or_throw();
}

// Several at once, whose order at each element is theirs here.
TEST_P(RandomLayouts, AreAccumulated) {
  if (on_device(GetParam()) && !has_kernels()) GTEST_SKIP() << "no kernels do atomics there";
  made_window m(GetParam(), room, datatype::of<number>(), promised | assertion::ordered_accumulate);
  any_window& w = m.window;
  const rank target = world().next();
  std::vector<number> there(room, 0);
  // On a device each piece is a kernel's launch.
  const std::size_t longest = on_device(GetParam()) ? most_elements / 8 : most_elements;
  w.lock_all().or_throw();
  for (unsigned turn = 0; turn < turns; ++turn) {
    const unsigned seed = 10'000 + 100 * turn + static_cast<unsigned>(me());
    SCOPED_TRACE("seed " + std::to_string(seed));
    layout_maker make(seed);
    const std::size_t n = 1 + make.below(turn % 2 == 0 ? longest : 20);
    const random_layout from = make.make(n), to = make.make(n), into = make.make(n);
    const std::vector<number> here = make.values();
    std::vector<number> before(room, -1), expected(room, -1), all(room, -1);
    EXPECT_TRUE(
        w.accumulate(atomic_op::replace, target, centre, here.data() + middle, from.all, to.all)
            .ok());
    EXPECT_TRUE(
        w.accumulate(atomic_op::sum, target, centre, here.data() + middle, to.all, to.all).ok());
    for (std::size_t i = 0; i < n; ++i)
      there[to.elements[i]] = here[from.elements[i]] + here[to.elements[i]];
    for (std::size_t i = 0; i < n; ++i) {
      expected[into.elements[i]] = there[to.elements[i]];
      there[to.elements[i]] += here[from.elements[i]];
    }
    number* const results = before.data() + middle;
    if (make.below(2) == 0) {
      EXPECT_TRUE(w.rget_accumulate(atomic_op::sum, target, centre, here.data() + middle, from.all,
                                    results, into.all, to.all)
                      .wait()
                      .ok());
      EXPECT_EQ(before, expected);
    } else {
      EXPECT_TRUE(w.get_accumulate(atomic_op::sum, target, centre, here.data() + middle, from.all,
                                   results, into.all, to.all)
                      .ok());
    }
    EXPECT_TRUE(w.flush(target).ok()) << w.failure();
    EXPECT_EQ(before, expected);
    EXPECT_TRUE(w.get(target, disp{0}, all.data(), room).ok());
    EXPECT_TRUE(w.flush(target).ok()) << w.failure();
    EXPECT_EQ(all, there);
  }
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
  world().barrier().or_throw();
}

INSTANTIATE_TEST_SUITE_P(All, RandomLayouts, ::testing::ValuesIn(all_made()));

}  // namespace
}  // namespace oriel::testing
