// What becomes of a team that one of its ranks could not join, because a death that was noticed
// there first made the collective fail that makes the team.
#include "session/team/make_team.hpp"

#include <numeric>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

// `stayer` finds out that the collective has failed for it; for the others it has not.
team made_without(int stayer) {
  detail::team_state& parent = *world().state();
  std::vector<int> members(static_cast<std::size_t>(ranks()));
  std::iota(members.begin(), members.end(), 0);
  const std::uint64_t id = parent.next_id();
  sync::published_result::content made;
  if (parent.leads()) {
    made.first = sessions::make_block(parent, parent.node_members().size(),
                                      static_cast<std::size_t>(parent.size()))
                     .block;
    parent.offer(id, made);
  } else {
    EXPECT_EQ(parent.collect(parent.node_members().front(), id, made), errc::success);
  }
  if (me() != stayer) return sessions::join(parent, members, made.first, id);
  sessions::give_up_block(parent, parent.node_members(), made.first);
  parent.stay_out_of(id, members);
  return {};
}

TEST(MakeTeam, WhoCouldNotJoinIsNotWaitedFor) {
  for (const int stayer : {ranks() - 1, 0, ranks() / 2}) {
    if (const team incomplete = made_without(stayer); me() != stayer) {
      EXPECT_EQ(incomplete.barrier().code(), errc::peer_failed);
      EXPECT_THAT(incomplete.failure(), ::testing::HasSubstr("could not join"));
    }
    EXPECT_TRUE(world().barrier().ok());
  }
}

TEST(MakeTeam, ShrinksToThoseWhoCouldJoin) {
  for (const int stayer : {ranks() - 1, 0, ranks() / 2}) {
    if (const team incomplete = made_without(stayer); me() != stayer) {
      const team rest = incomplete.shrink();
      EXPECT_EQ(rest.size(), ranks() - 1);
      EXPECT_EQ(rest.me().value, me() - (me() > stayer ? 1 : 0));
      EXPECT_TRUE(rest.barrier().ok()) << rest.failure();
    }
    EXPECT_TRUE(world().barrier().ok());
  }
}

}  // namespace
}  // namespace oriel::testing
