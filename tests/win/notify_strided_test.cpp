// Notified puts of layouts: the pieces are there, and nothing else has changed, when the counter
// moves.
#include <atomic>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::notify | assertion::local_load_store |
                         assertion::user_datatype;

// A column of `rows` elements goes from a matrix of rows of `from` elements to one of `to`.
void put_column(std::size_t rows, std::size_t from, std::size_t to) {
  SCOPED_TRACE(std::to_string(rows) + " rows");
  auto w = window<int, promise>::allocate(world(), rows * to);
  std::fill(w.local().begin(), w.local().end(), -1);
  world().barrier().or_throw();
  std::vector<int> mine(rows * from, -2);
  for (std::size_t i = 0; i < rows; ++i) mine[i * from] = me() + static_cast<int>(i);
  const auto column = [rows](std::size_t stride) {
    return shape{
        datatype::vector(rows, 1, static_cast<std::ptrdiff_t>(stride), datatype::of<int>()), 1};
  };
  const auto epoch = w.lock_all();
  ASSERT_TRUE(
      w.put_notify(world().next(), disp{1}, mine.data(), column(from), column(to), 3, 5).ok())
      << w.failure();
  std::fill(mine.begin(), mine.end(), -3);  // it is reusable
  ASSERT_TRUE(w.wait_notify(3, 5).ok()) << w.failure();
  EXPECT_EQ(w.notified(3), 5u);
  const int before = (me() + ranks() - 1) % ranks();
  for (std::size_t i = 0; i < rows * to; ++i)
    ASSERT_EQ(w.local()[i], i % to == 1 ? before + static_cast<int>(i / to) : -1) << i;
  world().barrier().or_throw();
}

TEST(NotifyStrided, ComesBehindItsPieces) {
  put_column(1, 2, 3);
  put_column(100, 3, 5);
  put_column(20'000, 2, 4);  // more than one message takes
}

// Its pieces are small and would gather, and another process of the owner's node performs packets.
TEST(NotifyStrided, ComesBehindItsPiecesWhereOperationsGather) {
  constexpr std::uint64_t rows = 5, rounds = 100;
  window_options gathering;
  gathering.aggregate = true;
  const auto n = static_cast<std::uint64_t>(ranks());
  auto w = window<std::uint64_t, promise>::allocate(world(), rows * n, gathering);
  const shape column{datatype::vector(rows, 1, ranks(), datatype::of<std::uint64_t>()), 1};
  const shape dense{datatype::of<std::uint64_t>(), rows};
  const auto epoch = w.lock_all();
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    std::vector<std::uint64_t> mine(rows, round);
    for (int r = 0; r < ranks(); ++r)
      ASSERT_TRUE(w.put_notify(rank{r}, disp{static_cast<std::uint64_t>(me())}, mine.data(), dense,
                               column, 0)
                      .ok())
          << w.failure();
    std::fill(mine.begin(), mine.end(), 0);  // it is reusable
    ASSERT_TRUE(w.wait_notify(0, round * n).ok()) << w.failure();
    for (std::uint64_t& x : w.local()) ASSERT_EQ(std::atomic_ref(x).load(), round);
    world().barrier().or_throw();
  }
}

TEST(NotifyStrided, IsRefusedForOtherTypesOnBothSides) {
  auto w = window<int, promise>::allocate(world(), 4);
  const auto epoch = w.lock_all();
  const double value = 1;
  EXPECT_EQ(w.put_notify(world().next(), disp{0}, &value, {datatype::of<double>(), 1},
                         {datatype::of<int>(), 2}, 0)
                .code(),
            errc::type);
  w.clear_failure();
  EXPECT_EQ(w.wait_notify(0, 1).code(), errc::type) << "it was refused to this rank, too";
  EXPECT_EQ(w.local()[0], 0);
  w.clear_failure();
  EXPECT_TRUE(world().barrier().ok());
}

TEST(NotifyStrided, NeedsThePromiseOfDatatypes) {
  auto w = window<int>::allocate(world(), 4, assertion::shared_lock | assertion::notify);
  const auto epoch = w.lock_all();
  const int value = 1;
  const shape one{datatype::of<int>(), 1};
  EXPECT_EQ(w.put_notify(world().next(), disp{0}, &value, one, one, 0).code(), errc::not_asserted);
  EXPECT_NE(w.failure().find("user_datatype"), std::string::npos) << w.failure();
  EXPECT_EQ(w.wait_notify(0, 1).code(), errc::not_asserted) << "it was refused to this rank, too";
  w.clear_failure();
  EXPECT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
