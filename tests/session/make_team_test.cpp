// What becomes of a team that one of its ranks could not join, because a death that was noticed
// there first made the collective fail that makes the team.
#include "session/make_team.hpp"

#include <numeric>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

TEST(MakeTeam, WhoCouldNotJoinIsNotWaitedFor) {
  detail::team_state& parent = *world().state();
  std::vector<int> members(static_cast<std::size_t>(ranks()));
  std::iota(members.begin(), members.end(), 0);
  const std::uint64_t id = parent.next_id();
  boot::handout::content made;
  if (parent.leads()) {
    made.first = boot::allocate_block(parent, parent.near());
    parent.offer(id, made);
  } else {
    ASSERT_EQ(parent.collect(parent.near().front(), id, made), errc::success);
  }
  if (me() == ranks() - 1) {
    boot::give_up_block(parent, parent.near(), made.first);
    parent.stay_out_of(id, members);
  } else {
    const team incomplete = boot::join(parent, members, made.first, id);
    EXPECT_EQ(incomplete.barrier().code(), errc::peer_failed);
    EXPECT_THAT(incomplete.failure(), ::testing::HasSubstr("could not join"));
  }
  EXPECT_TRUE(world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
