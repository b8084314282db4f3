// Which providers are known to be at fault.
#include "transport/provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oriel::transport {
namespace {

using ::testing::HasSubstr;

TEST(Provider, UdpIsNotReliedOnBeforeItsQueueWasMended) {
  EXPECT_THAT(known_fault("udp;ofi_rxd", FI_VERSION(1, 17)), HasSubstr("libfabric 1.17 loses"));
  EXPECT_THAT(known_fault("udp;ofi_rxd", FI_VERSION(2, 3)), HasSubstr("2.3"));
  EXPECT_EQ(known_fault("udp;ofi_rxd", FI_VERSION(2, 4)), "");
  EXPECT_EQ(known_fault("tcp;ofi_rxm", FI_VERSION(1, 17)), "");
}

}  // namespace
}  // namespace oriel::transport
