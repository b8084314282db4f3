// Windows are in huge pages where there are any, and say how much of them.
#include "tests/support/huge_pages.hpp"

#include <gtest/gtest.h>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

std::string explained(std::size_t bytes) {
  auto w = window<char>::allocate(world(), bytes, assertion::fence | assertion::local_load_store);
  return w.explain();
}

TEST(HugePages, AWindowSaysHowMuchOfItIsInThem) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  EXPECT_EQ(explained(1000).find("huge pages"), std::string::npos);
  // Each second segment begins amid a huge page's place.
  const std::string of_9 = explained(9 * mib);
  if (!machine_has_huge_pages()) GTEST_SKIP() << "this machine has none for those who request them";
  EXPECT_NE(of_9.find(", 8 MiB in huge pages"), std::string::npos) << of_9;
}

}  // namespace
}  // namespace oriel::testing
