// A machine, or a build, without a vendor: its kind is absent for a reason, and nothing else
// changes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "kinds/classify.hpp"
#include "kinds/device_runtime.hpp"

namespace oriel::testing {
namespace {

TEST(AbsentDevices, HaveAReason) {
  const std::vector<int> ordinary(10);
  for (const kinds::vendor which : kinds::all_vendors) {
    if (kinds::runtime(which) != nullptr) {
      ASSERT_EQ(std::getenv("ORIEL_TEST_DRIVER"), nullptr) << "the test driver was to have none";
      GTEST_SKIP() << "this machine has devices";
    }
    EXPECT_NE(kinds::why_absent(which), "");
    EXPECT_EQ(kinds::loaded(which), nullptr);
  }
  EXPECT_FALSE(kinds::any_runtime_loaded());
  EXPECT_FALSE(kinds::classify(ordinary.data()).has_value());
}

TEST(AbsentDevices, AreNotLookedForByWhoeverClassifies) {
  if (kinds::any_runtime_loaded()) GTEST_SKIP() << "this machine has devices";
  const int ordinary = 0;
  EXPECT_FALSE(kinds::classify(&ordinary).has_value());
  EXPECT_FALSE(kinds::any_runtime_loaded());
}

}  // namespace
}  // namespace oriel::testing
