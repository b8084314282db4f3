// Registering memory with a provider whose keys are shorter than oriel's. Debian has none: a
// provider at hand is configured as one, and refuses keys that are in use as any does.
#include "transport/endpoint.hpp"

#include <gtest/gtest.h>

#include <set>

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

}  // namespace
}  // namespace oriel::transport
