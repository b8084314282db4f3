// Ranks on several nodes, as ORIEL_NODE_ID says: what works is the session and the world's
// collectives; windows say that they do not.
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

TEST(Nodes, TheWorldsCollectivesSpanThem) {
  EXPECT_EQ(world().size(), 2);
  EXPECT_EQ(job().node().size(), 1);
  EXPECT_FALSE(world().on_node(world().next()));
  EXPECT_EQ(world().allreduce(me() + 1, atomic_op::sum), 3);
  EXPECT_TRUE(world().barrier().ok());
  int value = me();
  EXPECT_TRUE(world().broadcast(value, rank{1}).ok());
  EXPECT_EQ(value, 1);
}

TEST(Nodes, WindowsAcrossThemFailEverywhereAlikeForNow) {
  const thrown t = catch_error(
      [] { window<int>::allocate(world(), 4, assertion::remote_load_store | assertion::fence); });
  EXPECT_EQ(t.code, errc::unsupported_assertion);
  EXPECT_NE(t.text.find("assertion::remote_load_store from rank 0 to rank 1"), std::string::npos)
      << t.text;
  EXPECT_NE(t.text.find("several nodes"), std::string::npos) << t.text;
  EXPECT_EQ(catch_error([] { window<int>::allocate(world(), 4, assertion::fence); }).code,
            errc::unsupported_assertion);
}

TEST(Nodes, WindowsWithinOneWork) {
  auto w = window<int, assertion::remote_load_store | assertion::fence>::allocate(job().node(), 4);
  EXPECT_TRUE(w.fence().ok());
}

}  // namespace
}  // namespace oriel::testing
