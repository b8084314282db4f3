// Which providers are known to be at fault, and what asking for them changes.
#include "transport/provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/scoped_variable.hpp"

namespace oriel::transport {
namespace {

using ::testing::HasSubstr;

TEST(Provider, UdpIsNotReliedOnBeforeItsQueueWasMended) {
  EXPECT_THAT(known_fault("udp;ofi_rxd", FI_VERSION(1, 17)), HasSubstr("libfabric 1.17 loses"));
  EXPECT_THAT(known_fault("udp;ofi_rxd", FI_VERSION(2, 3)), HasSubstr("2.3"));
  EXPECT_EQ(known_fault("udp;ofi_rxd", FI_VERSION(2, 4)), "");
  EXPECT_EQ(known_fault("tcp;ofi_rxm", FI_VERSION(1, 17)), "");
}

// How often connections are looked for is told to the provider, and to nobody else.
TEST(Provider, AskingForThemLeavesTheEnvironmentAsItIs) {
  constexpr const char* interval = "FI_OFI_RXM_CM_PROGRESS_INTERVAL";
  unsetenv(interval);
  EXPECT_FALSE(usable_providers({}).empty());
  EXPECT_EQ(std::getenv(interval), nullptr);
  const testing::scoped_variable users(interval, "777");
  static_cast<void>(usable_providers({}));
  EXPECT_STREQ(std::getenv(interval), "777");
}

}  // namespace
}  // namespace oriel::transport
