// Registering memory with a provider whose keys are shorter than oriel's: Debian has none, so a
// provider at hand is configured as one, and refuses keys that are in use as any does. And leaving
// an endpoint at which something arrives.
#include "transport/endpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <set>

#include "tests/support/scoped_variable.hpp"

namespace oriel::transport {
namespace {

TEST(Endpoint, GivesEachRegistrationAShortKeyOfItsOwn) {
  const auto usable = usable_providers({});
  if (usable.empty()) GTEST_SKIP() << "no libfabric provider here";
  const info_list shorter(fi_dupinfo(usable.front().get()));
  shorter->domain_attr->mr_key_size = 2;
  endpoint port(*shorter);
  EXPECT_FALSE(port.keys_are_agreed());
  std::vector<std::byte> memory(64);
  std::vector<memory_region> regions;
  std::set<std::uint64_t> keys;
  // Windows are named by 64 random bits; these differ in those that a short key would lose.
  for (std::uint64_t window = 0; window < 300; ++window) {
    regions.push_back(port.expose(memory.data(), memory.size(), window << 16 | 5));
    keys.insert(regions.back().key());
    EXPECT_LT(regions.back().key(), 1u << 16);
  }
  EXPECT_EQ(keys.size(), regions.size());
  // Keys come round again; those still in use are passed over.
  for (int i = 0; i < 70'000; ++i)
    EXPECT_EQ(keys.count(port.expose(memory.data(), memory.size(), 5).key()), 0u);
}

// It is of another endpoint of this process, which stops in its midst.
TEST(Endpoint, MayBeAbandonedWithAPartOfARead) {
  const testing::scoped_variable named("ORIEL_FABRIC", "tcp;ofi_rxm");
  const auto usable = usable_providers({"lo"});
  if (usable.empty()) GTEST_SKIP() << "no tcp;ofi_rxm on the loopback interface here";
  endpoint other(*usable.front());
  std::vector<std::byte> source(64 << 20, std::byte{1}), sink(source.size());
  const memory_region region = other.expose(source.data(), source.size(), 7);
  {
    endpoint reader(*usable.front());
    const std::array both{reader.address(), other.address()};
    const auto address_of = [&](int r) { return both[static_cast<std::size_t>(r)]; };
    reader.know(2, address_of);
    other.know(2, address_of);
    const auto ignore = [](context&, std::size_t, int) {};
    const auto until = [&](const std::function<bool()>& done) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (!done() && std::chrono::steady_clock::now() < end) {
        reader.poll(ignore);
        other.poll(ignore);
      }
    };
    const remote_place there{1, other.base_for_peers(source.data()), region.key()};
    context reading{};
    until([&] { return reader.read(there, sink.data(), sink.size(), nullptr, reading) == 0; });
    const volatile std::byte& first = sink.front();
    until([&] { return first == std::byte{1}; });
    ASSERT_TRUE(first == std::byte{1});
    ASSERT_EQ(sink.back(), std::byte{0});
    reader.abandon();
  }
  // It is left where it is.
  const auto arrived = std::count(sink.begin(), sink.end(), std::byte{1});
  for (int i = 0; i < 100; ++i) other.poll([](context&, std::size_t, int) {});
  EXPECT_EQ(std::count(sink.begin(), sink.end(), std::byte{1}), arrived);
}

}  // namespace
}  // namespace oriel::transport
