// Ranks are entered in the provider's table when they are first spoken to.
#include "transport/peer_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "transport/endpoint.hpp"

namespace oriel::transport {
namespace {

TEST(PeerTable, AsksForAnAddressOnceAndForThoseThatAreSpokenToAlone) {
  const auto usable = usable_providers({});
  if (usable.empty()) GTEST_SKIP() << "libfabric has no provider here";
  endpoint port(*usable.front());
  std::vector<std::atomic<int>> asked(1000);
  port.know(1000, [&, own = port.address()](int r) {
    ++asked[static_cast<std::size_t>(r)];
    return own;
  });
  std::vector<std::thread> threads;
  std::vector<fi_addr_t> seen(4);
  for (std::size_t i = 0; i < seen.size(); ++i)
    threads.emplace_back([&, i] { seen[i] = port.raw_address(700); });
  for (std::thread& t : threads) t.join();
  for (const fi_addr_t a : seen) EXPECT_EQ(a, seen[0]);
  EXPECT_NE(seen[0], FI_ADDR_NOTAVAIL);
  for (std::size_t r = 0; r < asked.size(); ++r) EXPECT_EQ(asked[r], r == 700 ? 1 : 0) << r;
}

TEST(PeerTable, APeerThatTheProviderDoesNotTakeFailsWhatIsPostedToIt) {
  const auto usable = usable_providers({});
  if (usable.empty()) GTEST_SKIP() << "libfabric has no provider here";
  endpoint port(*usable.front());
  bool has_room = false;
  port.know(2, [&, own = port.address()](int) {
    if (!has_room) throw std::bad_alloc();
    return own;
  });
  const int word = 0;
  EXPECT_EQ(port.inject(1, &word, sizeof word), -FI_ENOMEM);
  has_room = true;
  EXPECT_NE(port.raw_address(1), FI_ADDR_NOTAVAIL);
}

}  // namespace
}  // namespace oriel::transport
