#include <oriel/bloom_filter.hpp>

void offend(oriel::bloom_filter<std::uint64_t>& filter) {
  auto p = filter.find_only();
#ifndef ORIEL_EXPECT_SUCCESS
  static_cast<void>(p.insert(1));
#endif
}
