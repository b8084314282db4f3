// The addresses of a job's ranks, of which a node has one copy.
#include "session/node/address_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace oriel::sessions {
namespace {

using addresses = std::vector<std::vector<std::string>>;

TEST(AddressTable, HasThemByRailAndRank) {
  const auto memory = node_memory::make(1, 0);
  const addresses given{{"a", "", "rank two's"}, {"x", "yy", std::string("\0z\0", 3)}};
  const address_table table(*memory, node_table::fabric_addresses, given);
  EXPECT_EQ(table.rails(), 2);
  EXPECT_EQ(table.ranks(), 3);
  for (int rail = 0; rail < 2; ++rail)
    for (int r = 0; r < 3; ++r)
      EXPECT_EQ(table.at(rail, r),
                given[static_cast<std::size_t>(rail)][static_cast<std::size_t>(r)]);
}

TEST(AddressTable, IsOneForAllOfANode) {
  const auto memory = node_memory::make(1, 0);
  const addresses given{{"192.0.2.1:7", "192.0.2.2:7"}};
  const address_table first(*memory, node_table::fabric_addresses, given);
  const std::size_t used = memory->used();
  const address_table second(*memory, node_table::fabric_addresses, given);
  EXPECT_EQ(memory->used(), used);
  EXPECT_EQ(second.at(0, 1), "192.0.2.2:7");
  // Another kind of table is another.
  const address_table other(*memory, node_table::detector_addresses, {{"p", "q"}});
  EXPECT_GT(memory->used(), used);
  EXPECT_EQ(first.at(0, 0), "192.0.2.1:7");
  EXPECT_EQ(other.at(0, 1), "q");
}

TEST(AddressTable, MayBeWrittenByAllAtOnce) {
  const auto memory = node_memory::make(1, 0);
  addresses given(1);
  for (int r = 0; r < 5000; ++r) given[0].push_back("address of " + std::to_string(r));
  std::vector<std::thread> ranks;
  std::vector<int> wrong(4);
  for (int i = 0; i < 4; ++i)
    ranks.emplace_back([&, i] {
      const address_table mine(*memory, node_table::fabric_addresses, given);
      for (int r = 0; r < mine.ranks(); ++r)
        wrong[static_cast<std::size_t>(i)] +=
            mine.at(0, r) == given[0][static_cast<std::size_t>(r)] ? 0 : 1;
    });
  for (std::thread& t : ranks) t.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

}  // namespace
}  // namespace oriel::sessions
