// What a build without hwloc reads of the machine. The program is linked with topology_plain.cpp,
// which stands before liboriel's own.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <set>

#include "oriel/errc.hpp"
#include "session/node/topology.hpp"

namespace oriel::testing {
namespace {

// Of the process, until the scope ends.
class affinity {
 public:
  affinity() { EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0); }
  ~affinity() { sched_setaffinity(0, sizeof before_, &before_); }
  affinity(const affinity&) = delete;
  affinity& operator=(const affinity&) = delete;
  [[nodiscard]] int processors() const { return CPU_COUNT(&before_); }
  [[nodiscard]] int last() const {
    int found = -1;
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &before_)) found = i;
    return found;
  }
  static void keep_to(int processor) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }

 private:
  cpu_set_t before_{};
};

TEST(TopologyPlain, CountsWhatTheProcessMayUse) {
  const affinity all;
  const sessions::topology found = sessions::read_topology();
  EXPECT_EQ(found.processors, all.processors());
  EXPECT_GE(found.cores, 1);
  EXPECT_LE(found.cores, found.processors);
  EXPECT_GE(found.numa_nodes, 1);
  ASSERT_EQ(found.first_processor.size(), static_cast<std::size_t>(found.cores));
  const std::set<int> distinct(found.first_processor.begin(), found.first_processor.end());
  EXPECT_EQ(distinct.size(), found.first_processor.size());
}

TEST(TopologyPlain, LeavesOutWhatItMayNot) {
  const affinity all;
  affinity::keep_to(all.last());
  const sessions::topology found = sessions::read_topology();
  EXPECT_EQ(found.cores, 1);
  EXPECT_EQ(found.first_processor, std::vector<int>{all.last()});
  EXPECT_EQ(found.summary.rfind("1 core, 1 processor, ", 0), 0u) << found.summary;
}

TEST(TopologyPlain, KnowsNoDistances) {
  EXPECT_EQ(sessions::distance_to_pci(0, 0, 0, 0), sessions::unknown_distance);
}

TEST(TopologyPlain, DescribesNothingForDrawings) {
  try {
    sessions::topology_xml({});
    ADD_FAILURE() << "there is no hwloc";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::system);
  }
}

}  // namespace
}  // namespace oriel::testing
