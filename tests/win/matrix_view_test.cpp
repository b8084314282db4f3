// window::reshape: matrices whose rows, columns and blocks travel.
#include <algorithm>
#include <array>
#include <vector>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr assertion_set shaped = assertion::shared_lock | assertion::local_load_store |
                                 assertion::multi_element | assertion::user_datatype;
constexpr std::size_t rows = 6, columns = 5;

double made(int owner, std::size_t i, std::size_t j) {
  return owner * 1000. + static_cast<double>(i * 10 + j);
}

template <class Matrix>
void fill(const Matrix& m) {
  for (std::size_t i = 0; i < m.rows(); ++i)
    for (std::size_t j = 0; j < m.columns(); ++j) m(i, j) = made(me(), i, j);
  world().barrier().or_throw();
}

// Rows and columns to the next rank and from it, as halos are: all of them land.
template <class Window>
void exchange(Window& w, const matrix_extents& extents) {
  auto m = w.reshape(extents);
  ASSERT_EQ(m.rows(), rows);
  ASSERT_EQ(m.columns(), columns);
  fill(m);
  const rank next = world().next();
  const int before = (me() + ranks() - 1) % ranks();
  {
    auto epoch = w.lock_all();
    EXPECT_TRUE(m.put_row({.peer = next, .here = 1, .there = 4}).ok()) << w.failure();
    w.flush(next).or_throw();
    world().barrier().or_throw();
    EXPECT_EQ(m(4, 0), made(before, 1, 0));
    EXPECT_EQ(m(4, 4), made(before, 1, 4));
    EXPECT_EQ(m(3, 4), made(me(), 3, 4));
    EXPECT_EQ(m(5, 0), made(me(), 5, 0));
    world().barrier().or_throw();

    fill(m);
    EXPECT_TRUE(m.put_column({.peer = next, .here = 1, .there = 3, .first = 2, .count = 3}).ok());
    w.flush(next).or_throw();
    world().barrier().or_throw();
    for (std::size_t i = 0; i < rows; ++i)
      EXPECT_EQ(m(i, 3), i < 2 || i > 4 ? made(me(), i, 3) : made(before, i, 1)) << i;
    EXPECT_EQ(m(3, 2), made(me(), 3, 2));
    EXPECT_EQ(m(3, 4), made(me(), 3, 4));
    world().barrier().or_throw();

    fill(m);
    EXPECT_TRUE(
        m.put_block({.peer = next, .rows = 2, .columns = 3, .here = {1, 1}, .there = {3, 2}}).ok());
    w.flush(next).or_throw();
    world().barrier().or_throw();
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const bool put = i >= 3 && i < 5 && j >= 2;
        EXPECT_EQ(m(i, j), put ? made(before, i - 2, j - 1) : made(me(), i, j)) << i << ' ' << j;
      }
    world().barrier().or_throw();

    fill(m);
    EXPECT_TRUE(m.get_row({.peer = next, .here = 0, .there = 5, .first = 1}).ok());
    EXPECT_TRUE(m.get_column({.peer = next, .here = 0, .there = 4, .first = 1}).ok());
    EXPECT_TRUE(
        m.get_block({.peer = next, .rows = 2, .columns = 2, .here = {2, 2}, .there = {4, 1}}).ok());
    w.flush(next).or_throw();
    EXPECT_EQ(m(0, 0), made(me(), 0, 0));
    EXPECT_EQ(m(0, 1), made(next.value, 5, 1));
    EXPECT_EQ(m(0, 4), made(next.value, 5, 4));
    for (std::size_t i = 1; i < rows; ++i) EXPECT_EQ(m(i, 0), made(next.value, i, 4));
    EXPECT_EQ(m(2, 2), made(next.value, 4, 1));
    EXPECT_EQ(m(3, 3), made(next.value, 5, 2));
    EXPECT_EQ(m(3, 4), made(me(), 3, 4));
  }
  world().barrier().or_throw();
}

TEST(MatrixView, MovesRowsColumnsAndBlocks) {
  auto w = window<double, shaped>::allocate(world(), rows * columns);
  exchange(w, {.rows = rows, .columns = columns});
}
TEST(MatrixView, HasRowsThatAreApart) {
  auto w = window<double, shaped>::allocate(world(), 7 + rows * 8);
  exchange(w, {.rows = rows, .columns = columns, .leading = 8, .first = disp{7}});
  EXPECT_EQ(w.local()[7 + columns], 0);  // between rows
}
TEST(MatrixView, OfMappedAndOfPrivateMemoryAndAtRunTime) {
  if (!spans_nodes()) {
    auto w = window<double, shaped | assertion::remote_load_store>::allocate(world(), 30);
    exchange(w, {.rows = rows, .columns = columns});
  }
  std::vector<double> memory(30);
  auto w = window<double, shaped>::create(world(), memory);
  exchange(w, {.rows = rows, .columns = columns});
  auto at_run_time = window<double>::allocate(world(), 30, shaped);
  exchange(at_run_time, {.rows = rows, .columns = columns});
}

struct cell {
  float heat;
  int steps;
  char material;
};
TEST(MatrixView, HasElementsOfAnyType) {
  auto w = window<cell, shaped>::allocate(world(), 12);
  auto m = w.reshape({.rows = 3, .columns = 4});
  m(1, 2) = {1.5f, me(), 'w'};
  world().barrier().or_throw();
  {
    auto epoch = w.lock_all();
    EXPECT_TRUE(m.get_column({.peer = world().next(), .here = 0, .there = 2}).ok()) << w.failure();
  }
  EXPECT_EQ(m(1, 0).steps, world().next().value);
  EXPECT_EQ(m(1, 0).material, 'w');
  EXPECT_EQ(m.row(1)[2].heat, 1.5f);
  world().barrier().or_throw();
}

// Ranks have matrices of different sizes.
TEST(MatrixView, ReachesPeersOfOtherExtents) {
  const auto extents_of = [](int r) {
    return matrix_extents{.rows = 3, .columns = 2 + static_cast<std::size_t>(r)};
  };
  const rank next = world().next();
  auto w = window<double, shaped>::allocate(world(), 3 * extents_of(me()).columns);
  auto m = w.reshape(extents_of(me()));
  fill(m);
  const std::size_t last = extents_of(next.value).columns - 1;
  {
    auto epoch = w.lock_all();
    EXPECT_TRUE(
        m.put_column(
             {.peer = next, .here = 0, .there = last, .extents_there = extents_of(next.value)})
            .ok());
  }
  world().barrier().or_throw();
  const int before = (me() + ranks() - 1) % ranks();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(m(i, m.columns() - 1), made(before, i, 0));
  EXPECT_EQ(m(1, 1), m.columns() == 2 ? made(before, 1, 0) : made(me(), 1, 1));
  world().barrier().or_throw();
}

TEST(MatrixView, RefusesWhatLiesInNoMatrix) {
  auto w = window<double, shaped>::allocate(world(), rows * columns);
  auto m = w.reshape({.rows = rows, .columns = columns});
  fill(m);
  auto epoch = w.lock_all();
  EXPECT_EQ(m.put_row({.peer = rank{0}, .here = rows}).code(), errc::arg);
  EXPECT_NE(w.failure().find("row 6, column 0 of this rank's matrix, which has 6 x 5"),
            std::string::npos)
      << w.failure();
  EXPECT_EQ(m.get_row({.peer = rank{0}, .there = rows}).code(), errc::rma_range);
  EXPECT_NE(w.failure().find("the matrix of rank 0"), std::string::npos) << w.failure();
  EXPECT_EQ(m.put_column({.peer = rank{0}, .here = columns}).code(), errc::arg);
  EXPECT_EQ(m.get_column({.peer = rank{0}, .first = 1, .count = rows}).code(), errc::arg);
  EXPECT_EQ(m.put_row({.peer = rank{0}, .first = 9}).code(), errc::arg);
  EXPECT_EQ(m.put_block({.peer = rank{0}, .rows = 2, .there = {rows - 1, 0}}).code(),
            errc::rma_range);
  // Extents that the peer's memory has no room for, and ones that no product can tell.
  const std::size_t huge = std::size_t{1} << 40;
  for (const matrix_extents there :
       {matrix_extents{.rows = rows + 1, .columns = columns},
        matrix_extents{.rows = huge, .columns = columns, .leading = huge},
        matrix_extents{.rows = rows, .columns = columns, .first = disp{1}}}) {
    EXPECT_EQ(m.put_column({.peer = rank{0}, .extents_there = there}).code(), errc::rma_range);
  }
  EXPECT_EQ(m.put_row({.peer = rank{ranks()}}).code(), errc::rma_range);
  // Nothing moves, and nothing is wrong with that.
  EXPECT_TRUE(m.put_row({.peer = rank{0}, .count = 0}).ok());
  EXPECT_TRUE(m.put_block({.peer = rank{0}, .rows = 0}).ok());
  w.clear_failure();
  EXPECT_EQ(m(0, 0), made(me(), 0, 0));
}

TEST(MatrixView, FitsItsMemory) {
  auto w = window<double, shaped>::allocate(world(), 30);
  for (const matrix_extents e : {matrix_extents{.rows = 31, .columns = 1},
                                 matrix_extents{.rows = 6, .columns = 5, .first = disp{1}},
                                 matrix_extents{.rows = 2, .columns = 5, .leading = 4},
                                 matrix_extents{.rows = 2, .columns = 5, .leading = 26},
                                 matrix_extents{.rows = 1, .columns = ~std::size_t{0}}}) {
    const auto refused = catch_error([&] { static_cast<void>(w.reshape(e)); });
    EXPECT_EQ(refused.code, errc::size);
    EXPECT_NE(refused.text.find("this rank has 30 elements"), std::string::npos) << refused.text;
  }
  EXPECT_EQ(w.reshape({.rows = 2, .columns = 5, .leading = 25}).rows(), 2u);
  EXPECT_EQ(w.reshape({}).rows(), 0u);
  auto mute = window<double>::allocate(world(), 30, assertion::shared_lock);
  EXPECT_EQ(catch_error([&] { static_cast<void>(mute.reshape({.rows = 1, .columns = 1})); }).code,
            errc::not_asserted);
  auto plain = window<double>::allocate(
      world(), 30, shaped.without(assertion::user_datatype).without(assertion::multi_element));
  auto m = plain.reshape({.rows = 2, .columns = 2});
  EXPECT_EQ(m.put_row({.peer = rank{0}}).code(), errc::not_asserted);
  EXPECT_EQ(m.get_row({.peer = rank{0}}).code(), errc::not_asserted);
  EXPECT_EQ(m.put_column({.peer = rank{0}}).code(), errc::not_asserted);
  EXPECT_EQ(m.get_column({.peer = rank{0}}).code(), errc::not_asserted);
  EXPECT_EQ(m.put_block({.peer = rank{0}}).code(), errc::not_asserted);
  EXPECT_EQ(m.get_block({.peer = rank{0}}).code(), errc::not_asserted);
}

TEST(MatrixView, OfAWindowThatIsFreedFails) {
  auto w = window<double, shaped>::allocate(world(), 30);
  auto m = w.reshape({.rows = rows, .columns = columns});
  w.free().or_throw();
  EXPECT_EQ(m.put_row({.peer = rank{0}}).code(), errc::win);
  EXPECT_EQ(catch_error([&] { static_cast<void>(w.reshape({.rows = 1, .columns = 1})); }).code,
            errc::win);
}

}  // namespace
}  // namespace oriel::testing
