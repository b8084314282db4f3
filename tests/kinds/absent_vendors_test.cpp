// Machines without a vendor's device lack its kind, with a reason, and nothing else happens. The
// environment of each ctest entry says whose library there is, and in what state, and the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "kinds/device_kind.hpp"
#include "kinds/device_runtime.hpp"

namespace oriel::kinds {
namespace {

vendor vendor_of_this_test() {
  return *vendor_named(std::getenv("ORIEL_TEST_VENDOR"));
}

TEST(AbsentVendor, HasAReasonAndNoRuntime) {
  const vendor v = vendor_of_this_test();
  if (std::getenv("ORIEL_TEST_OF_SYSTEM") != nullptr && runtime(v) != nullptr)
    GTEST_SKIP() << "this machine has such a device";
  EXPECT_EQ(runtime(v), nullptr);
  EXPECT_THAT(why_absent(v), ::testing::ContainsRegex(std::getenv("ORIEL_TEST_REASON")));
  EXPECT_FALSE(any_runtime_loaded());
  EXPECT_EQ(runtime(v), nullptr) << "the answer changed";
}

}  // namespace
}  // namespace oriel::kinds
