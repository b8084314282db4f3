// What a window says of itself where one rank's memory is a device's and another's its own alone.
#include <vector>

#include "tests/win/conformance.hpp"

namespace oriel::testing {
namespace {

TEST(ExplainMixed, SaysNothingOfPacketsWhereThereAreNone) {
  constexpr std::size_t count = 16;
  window_options options;
  options.aggregate = true;
  std::vector<int> mine(count);
  std::span<int> memory = mine;
  if (me() == 0)
    memory = {
        reinterpret_cast<int*>(job().alloc_mem(count * sizeof(int), kind_of(made::device)).data()),
        count};
  auto w = window<int>::create(world(), memory, assertion::shared_lock, options);
  const std::string text = w.explain();
  if (job().node().size() == ranks()) {
    EXPECT_EQ(text.find("small operations"), std::string::npos) << text;
  }
  ASSERT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
