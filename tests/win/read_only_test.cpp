// Windows over memory that may only be read: programs map tables of constants so, and a read of
// them, atomic ones included, writes nothing, whoever performs it.
#include <sys/mman.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <vector>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t count = 8;
constexpr auto promise = assertion::shared_lock | assertion::multi_element;

template <class T>
T value_of(int owner, std::size_t i) {
  return T(static_cast<float>(owner * 100 + static_cast<int>(i)));
}

// `count` elements, which are this rank's, in pages that nobody may write.
template <class T>
class constants {
 public:
  constants() {
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    at_ = static_cast<T*>(at);
    for (std::size_t i = 0; i < count; ++i) new (at_ + i) T(value_of<T>(me(), i));
    EXPECT_EQ(mprotect(at, bytes, PROT_READ), 0);
  }
  ~constants() { munmap(at_, bytes); }
  constants(const constants&) = delete;
  constants& operator=(const constants&) = delete;
  std::span<T> span() const noexcept { return {at_, count}; }

 private:
  static constexpr std::size_t bytes = 4096;
  T* at_;
};

template <class T>
class ReadOnly : public ::testing::Test {};
// Of 8 bytes; of 16, aligned and not; of more than any instruction's.
using elements =
    ::testing::Types<std::uint64_t, std::complex<double>, long double, std::complex<long double>>;
TYPED_TEST_SUITE(ReadOnly, elements);

TYPED_TEST(ReadOnly, MemoryIsReadByEverybody) {
  using T = TypeParam;
  const constants<T> mine;
  auto w = window<T, promise>::create(world(), mine.span());
  {
    auto epoch = w.lock_all();
    for (int r = 0; r < ranks(); ++r) {
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(w.get(rank{r}, disp{i}), value_of<T>(r, i));
        EXPECT_EQ(w.template fetch_op<atomic_op::no_op>(rank{r}, disp{i}, T{}), value_of<T>(r, i));
      }
      std::vector<T> all(count);
      EXPECT_TRUE(w.get_accumulate(atomic_op::no_op, rank{r}, disp{0}, {}, std::span(all)).ok());
      EXPECT_TRUE(w.flush(rank{r}).ok());
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(all[i], value_of<T>(r, i));
    }
    EXPECT_TRUE(epoch.end().ok()) << w.failure();
  }
}

// The same by the element's type alone, as MPI programs name it.
TYPED_TEST(ReadOnly, MemoryIsReadByElementType) {
  using T = TypeParam;
  const constants<T> mine;
  any_window w = any_window::create(world(), mine.span().data(), count * sizeof(T),
                                    datatype::bytes(1), promise | assertion::user_datatype);
  EXPECT_TRUE(w.lock_all().ok());
  for (int r = 0; r < ranks(); ++r) {
    std::vector<T> all(count);
    EXPECT_TRUE(w.get_accumulate(atomic_op::no_op, primitive_of<T>(), rank{r}, disp{0}, nullptr,
                                 all.data(), count)
                    .ok());
    EXPECT_TRUE(w.flush(rank{r}).ok());
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(all[i], value_of<T>(r, i));
  }
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
}

// Its owner does not take it for what was attached at the same address before, or given to create.
class AttachedAgain : public ::testing::TestWithParam<bool> {};

TEST_P(AttachedAgain, MemoryThatMayOnlyBeReadByNowIsNotWritten) {
  constexpr std::size_t bytes = 4096;
  using words = window<std::uint64_t, assertion::shared_lock | assertion::attach>;
  void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(at, MAP_FAILED);
  const std::span memory(static_cast<std::uint64_t*>(at), bytes / sizeof(std::uint64_t));
  {
    auto w = GetParam() ? words::create(world(), memory) : words::create(world());
    if (!GetParam()) static_cast<void>(w.attach(memory));
    const rank to{ranks() - 1};
    for (const int allowed : {PROT_READ | PROT_WRITE, PROT_READ}) {
      const auto mine = w.segments(rank{me()}).front();
      const std::uint64_t first = world().allreduce(mine.first.value, atomic_op::max);
      if (me() == 0 && to != rank{0}) {
        auto epoch = w.lock_all();
        static_cast<void>(w.add(to, disp{first}, 1));
        EXPECT_EQ(name(w.flush(to).code()), allowed == PROT_READ ? "rma_range" : "success");
        w.clear_failure();
      }
      world().barrier().or_throw();
      w.detach(mine.handle).or_throw();
      if (allowed == PROT_READ) break;
      ASSERT_EQ(mprotect(at, bytes, PROT_READ), 0);
      static_cast<void>(w.attach(memory));
      world().barrier().or_throw();
    }
  }
  world().barrier().or_throw();
  munmap(at, bytes);
}
INSTANTIATE_TEST_SUITE_P(ReadOnly, AttachedAgain, ::testing::Values(false, true),
                         [](const auto& of) { return of.param ? "Given" : "Attached"; });

// A write is an error of the one who asks for it; the owner lives on, and so does the window.
class Writes : public ::testing::Test {
 protected:
  static constexpr auto asked = assertion::shared_lock | assertion::exclusive_lock |
                                assertion::multi_element | assertion::fence;
  constants<std::uint64_t> mine_;
  window<std::uint64_t, asked> w_ = window<std::uint64_t, asked>::create(world(), mine_.span());

  // `attempt` by rank 0 in an epoch of locks.
  template <class Attempt>
  void expect_refused(Attempt attempt) {
    if (me() == 0) {
      auto epoch = w_.lock_all();
      attempt(rank{1});
      EXPECT_EQ(name(w_.flush(rank{1}).code()), "rma_range");
      w_.clear_failure();
      EXPECT_TRUE(epoch.end().ok());
      EXPECT_EQ(w_.get(rank{1}, disp{2}), value_of<std::uint64_t>(1, 2));
    }
    world().barrier().or_throw();
  }
};

TEST_F(Writes, ToConstantsAreErrors) {
  if (ranks() == 1 || spans_nodes()) GTEST_SKIP() << "needs a neighbour";
  const std::vector<std::uint64_t> many(count, 5);
  for (const int n : {1, 2, 16, 100})
    expect_refused([&](rank r) {
      for (int i = 0; i < n; ++i)
        static_cast<void>(w_.put(r, disp{static_cast<std::uint64_t>(i) % count}, 1));
    });
  expect_refused([&](rank r) { static_cast<void>(w_.put(r, disp{0}, std::span(many))); });
  expect_refused([&](rank r) { static_cast<void>(w_.add(r, disp{0}, 1)); });
  expect_refused([&](rank r) { static_cast<void>(w_.fetch_add(r, disp{0}, 1)); });
  expect_refused([&](rank r) { static_cast<void>(w_.compare_swap(r, disp{0}, 1, 2)); });
}

// Every second one of them, by whoever carries out such requests, on this node or another.
TEST_F(Writes, OfALayoutToConstantsAreErrors) {
  if (ranks() == 1) GTEST_SKIP() << "this process alone would write";
  any_window w =
      any_window::create(world(), mine_.span().data(), count, datatype::of<std::uint64_t>(),
                         asked | assertion::user_datatype);
  const shape apart{datatype::vector(count / 2, 1, 2, datatype::of<std::uint64_t>()), 1};
  const std::vector<std::uint64_t> here(count, 5);
  const rank target{ranks() - 1};
  if (me() == 0) {
    w.lock_all().or_throw();
    const auto expect_refused = [&](status begun) {
      const status ended = w.flush(target);
      EXPECT_EQ(name((begun.ok() ? ended : begun).code()), "rma_range");
      w.clear_failure();
    };
    expect_refused(w.put(target, disp{0}, here.data(), apart, apart));
    expect_refused(w.accumulate(atomic_op::sum, target, disp{0}, here.data(), apart, apart));
    std::vector<std::uint64_t> back(count);
    EXPECT_TRUE(w.get(target, disp{0}, back.data(), apart, apart).ok());
    EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
    EXPECT_EQ(back[2], value_of<std::uint64_t>(target.value, 2));
  }
  world().barrier().or_throw();
  w.free().or_throw();
}

// A letter that cannot be carried out is its owner's error.
TEST_F(Writes, BeforeAFenceAreErrorsToo) {
  if (ranks() == 1 || spans_nodes()) GTEST_SKIP() << "needs a neighbour";
  w_.fence().or_throw();
  const bool put = me() != 0 || w_.put(rank{1}, disp{0}, 1).ok();
  const status fenced = w_.fence();
  if (me() == 1) {
    EXPECT_EQ(name(fenced.code()), "rma_range");
    EXPECT_NE(w_.failure().find("a put of rank 0"), std::string::npos) << w_.failure();
  }
  EXPECT_TRUE(put);
  EXPECT_EQ(mine_.span()[0], value_of<std::uint64_t>(me(), 0));
  w_.clear_failure();
  world().barrier().or_throw();
}

// Memory that is attached may be constants as well.
TEST(AttachedConstants, AreNotWrittenTo) {
  if (ranks() == 1 || spans_nodes()) GTEST_SKIP() << "needs a neighbour";
  using word = std::uint64_t;
  constexpr auto asked =
      assertion::attach | assertion::shared_lock | assertion::multi_element | assertion::fence;
  const constants<word> mine;
  window_options options;
  options.hints.set("oriel_move_private", "false");
  auto w = window<word, asked>::create(world(), options);
  disp at = w.attach(mine.span()).first;
  world().broadcast(at, rank{1}).or_throw();
  if (me() == 0) {
    auto epoch = w.lock_all();
    for (const bool adds : {false, true}) {
      static_cast<void>(adds ? w.add(rank{1}, at, 1) : w.put(rank{1}, at, 1));
      EXPECT_EQ(name(w.flush(rank{1}).code()), "rma_range");
      w.clear_failure();
    }
    EXPECT_EQ(w.get(rank{1}, at), value_of<word>(1, 0));
    EXPECT_TRUE(epoch.end().ok());
  }
  w.fence().or_throw();
  const bool put = me() != 0 || w.put(rank{1}, at, 1).ok();
  EXPECT_TRUE(put);
  EXPECT_EQ(name(w.fence().code()), me() == 1 ? "rma_range" : "success");
  EXPECT_EQ(mine.span()[0], value_of<word>(me(), 0));
  w.clear_failure();
  world().barrier().or_throw();
}

// All that was begun is done at the fence, though some of it has failed.
TEST(FailedWrites, KeepNoneOfTheOthersBack) {
  if (!spans_nodes()) GTEST_SKIP() << "needs two nodes";
  constexpr std::size_t n = 16u << 20;
  auto* const memory = static_cast<char*>(
      mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(memory, 0, n);
  const int neighbour = job().node().size() > 1 ? 1 : 0;  // of rank 0
  if (me() == 1) mprotect(memory + 8192, 4096, PROT_READ);
  const rank far{ranks() - 1};
  std::vector<char> source(n);
  {
    auto w = window<char, assertion::fence | assertion::multi_element>::create(
        world(), std::span(memory, n));
    for (char round = 1; round <= 3; ++round) {
      w.fence().or_throw();
      if (me() == 0) {
        std::fill(source.begin(), source.end(), round);
        const std::span some(source.data(), 8);
        static_cast<void>(w.put(rank{neighbour}, disp{0}, some));
        static_cast<void>(w.put(rank{neighbour}, disp{neighbour == 1 ? 8192u : 0u}, some));
        EXPECT_TRUE(w.put(far, disp{0}, std::span(source)).ok());
      }
      static_cast<void>(w.fence());
      if (me() == far.value) {
        EXPECT_EQ(memory[n - 1], round);
        EXPECT_EQ(memory[n / 2], round);
      }
      w.clear_failure();
      world().barrier().or_throw();
    }
  }
  munmap(memory, n);
}

}  // namespace
}  // namespace oriel::testing
