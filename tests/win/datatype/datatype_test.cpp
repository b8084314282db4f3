// Datatypes against MPI's definitions, on thousands of random nested types and on known examples.
#include "oriel/datatype.hpp"

#include <gtest/gtest.h>

#include "oriel/errc.hpp"
#include "tests/support/job.hpp"
#include "tests/win/datatype/typemap_oracle.hpp"

namespace oriel::testing {
namespace {

void expect_same(const both& t) {
  ASSERT_EQ(t.real.size(), t.naive.size());
  ASSERT_EQ(t.real.lb(), t.naive.lb);
  ASSERT_EQ(t.real.ub(), t.naive.ub);
  ASSERT_EQ(t.real.extent(), t.naive.extent());
  ASSERT_EQ(t.real.true_lb(), t.naive.true_lb());
  ASSERT_EQ(t.real.true_extent(), t.naive.true_extent());
  std::size_t at = 0;
  for (const auto& run : t.real.runs())
    for (std::size_t b = 0; b < run.blocks; ++b)
      for (std::size_t e = 0; e < run.elements; ++e, ++at) {
        ASSERT_LT(at, t.naive.map.size());
        ASSERT_EQ(run.type, t.naive.map[at].type);
        ASSERT_EQ(run.offset + static_cast<std::ptrdiff_t>(b) * run.stride +
                      static_cast<std::ptrdiff_t>(e * size_of(run.type)),
                  t.naive.map[at].at);
      }
  ASSERT_EQ(at, t.naive.map.size());
}

TEST(Datatype, HasTheTypemapThatMpiDefines) {
  type_maker maker(11);
  for (int i = 0; i < 5000; ++i) {
    SCOPED_TRACE(i);
    ASSERT_NO_FATAL_FAILURE(expect_same(maker.make(i % 5)));
  }
}

TEST(Datatype, SignaturesMatchByPrimitiveAndOrder) {
  type_maker maker(12);
  for (int i = 0; i < 3000; ++i) {
    const both a = maker.make(i % 4), b = maker.make((i / 4) % 4);
    const std::size_t m = maker.below(3), n = maker.below(3);
    std::vector<primitive> x, y;
    for (std::size_t k = 0; k < m; ++k)
      for (const auto& item : a.naive.map) x.push_back(item.type);
    for (std::size_t k = 0; k < n; ++k)
      for (const auto& item : b.naive.map) y.push_back(item.type);
    ASSERT_EQ(datatype::signatures_match(a.real, m, b.real, n), x == y) << i;
  }
}

TEST(Datatype, FoldsWhatIsRegular) {
  const datatype d = datatype::of<double>();
  EXPECT_EQ(datatype::vector(1000, 1, 2, d).runs().size(), 1u);
  EXPECT_EQ(datatype::vector(1000, 2, 2, d).runs()[0].blocks, 1u);
  EXPECT_TRUE(datatype::contiguous(7, d).contiguous());
  EXPECT_FALSE(datatype::vector(2, 1, 2, d).contiguous());
  EXPECT_FALSE(datatype::resized(d, 0, 16).contiguous());
  EXPECT_TRUE(datatype::of<int>().predefined());
  EXPECT_FALSE(datatype::contiguous(2, d).predefined());
  EXPECT_EQ(datatype::vector(4, 1, 3, d).base(), primitive::float64);
}

TEST(Datatype, MpiExamples) {
  // MPI-4.1 §5.1.6: {(double,0),(char,8)} has extent 16 where doubles are aligned to 8.
  const std::array<std::size_t, 2> one{1, 1};
  const std::array<std::ptrdiff_t, 2> at{0, 8};
  const std::array types{datatype::of<double>(), datatype::of<char>()};
  const datatype s = datatype::structure(one, at, types);
  EXPECT_EQ(s.size(), 9u);
  EXPECT_EQ(s.extent(), 16);
  EXPECT_EQ(s.true_extent(), 9u);
  EXPECT_EQ(datatype::contiguous(3, s).extent(), 48);
  // A vector's extent ends with its last block.
  EXPECT_EQ(datatype::vector(3, 2, 4, datatype::of<float>()).extent(), 40);
  EXPECT_EQ(datatype::vector(3, 1, -2, datatype::of<float>()).lb(), -16);
  EXPECT_EQ(datatype().extent(), 0);
  EXPECT_EQ(datatype::contiguous(0, s).size(), 0u);
}

TEST(Datatype, EqualTypesAreEqualAndHashAlike) {
  const datatype a = datatype::vector(3, 1, 2, datatype::of<int>());
  const datatype b = datatype::hvector(3, 1, 8, datatype::of<std::int32_t>());
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_FALSE(a == datatype::vector(3, 1, 3, datatype::of<int>()));
  EXPECT_FALSE(datatype::of<int>() == datatype::of<unsigned>());
}

TEST(Datatype, RefusesWhatCannotBe) {
  const datatype d = datatype::of<double>();
  const std::array<std::size_t, 1> one{1}, three{3}, two{2};
  const std::array<std::ptrdiff_t, 2> two_places{0, 1};
  EXPECT_EQ(catch_error([&] { datatype::contiguous(std::size_t{1} << 61, d); }).code, errc::count);
  EXPECT_EQ(catch_error([&] { datatype::vector(3, 1, PTRDIFF_MAX / 4, d); }).code, errc::count);
  EXPECT_EQ(catch_error([&] { datatype::indexed(one, two_places, d); }).code, errc::arg);
  EXPECT_EQ(catch_error([&] { datatype::subarray(two, three, one, storage_order::c, d); }).code,
            errc::arg);
  EXPECT_EQ(catch_error([&] { datatype::subarray({}, {}, {}, storage_order::c, d); }).code,
            errc::arg);
}

}  // namespace
}  // namespace oriel::testing
