// Where oriel-run has the ranks of a larger job meet: each with its parent.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "session/bootstrap/gathering_tree.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/oriel_run.hpp"

namespace oriel::testing {
namespace {

struct told {
  std::string root, parent, socket;
  int sockets = 0;  // that the rank has at all
};
std::map<int, told> told_to(int ranks) {
  // What the launcher itself was told is of another job.
  const scoped_variable parent("ORIEL_PARENT", "outer:1"), socket("ORIEL_ROOT_FD", "99");
  launched job(shell({"-n", std::to_string(ranks)},
                     "echo $ORIEL_RANK $ORIEL_ROOT ${ORIEL_PARENT:-none} ${ORIEL_ROOT_FD:-none}"
                     " $(ls -l /proc/$$/fd 2>/dev/null | grep -c socket:)"));
  EXPECT_EQ(job.status(), 0) << job.output;
  std::map<int, told> all;
  std::istringstream text(job.output);
  for (int r = 0; text >> r;) {
    told& t = all[r];
    text >> t.root >> t.parent >> t.socket >> t.sockets;
  }
  EXPECT_EQ(all.size(), static_cast<std::size_t>(ranks)) << job.output;
  return all;
}

TEST(Parents, AreToldWhereAJobIsNoStar) {
  auto few = told_to(16);
  for (const auto& [r, t] : few) {
    EXPECT_EQ(t.parent, "none") << r;
    EXPECT_EQ(t.socket == "none", r != 0) << r;
  }
  auto all = told_to(21);
  std::map<int, std::string> places;  // by the rank that listens there
  for (const auto& [r, t] : all) {
    EXPECT_EQ(t.root, all[0].root) << r;
    EXPECT_NE(t.parent, "none") << r;
    const int parent = r == 0 ? 0 : sessions::parent_in_tree(r);
    places.emplace(parent, t.parent);
    EXPECT_EQ(places[parent], t.parent) << "the children of a rank differ, at " << r;
    const bool listens = !sessions::place_in_tree(r, 21).children.empty();
    EXPECT_EQ(t.socket != "none", listens) << r;
    EXPECT_EQ(t.sockets, listens ? 1 : 0) << "another's, on rank " << r;
  }
  EXPECT_EQ(places[0], all[0].root);
  std::set<std::string> apart;
  for (const auto& [rank, place] : places) apart.insert(place);
  EXPECT_EQ(apart.size(), places.size()) << "two ranks listen at one place";
}

TEST(Parents, OpenASessionTwice) {
  launched job({"-n", "24", ORIEL_REOPENING_RANK});
  EXPECT_EQ(job.status(), 0) << job.output;
  std::size_t opened = 0;
  for (std::size_t at = 0; (at = job.output.find("opened twice\n", at)) != std::string::npos; ++at)
    ++opened;
  EXPECT_EQ(opened, 24u) << job.output;
}

TEST(Parents, NameARankThatEndsBeforeItOpensASession) {
  const scoped_variable timeout("ORIEL_TIMEOUT", "4");
  for (const auto& [leaver, said] :
       {std::pair{"5", "of 24 ranks, these did not appear within 4 s (ORIEL_TIMEOUT): 5\n"},
        {"4",
         "of 24 ranks, these did not appear within 4 s (ORIEL_TIMEOUT): 4; not heard, since they "
         "join through one of these or do not answer: 5, 6, 7\n"}}) {
    // Rank 0 first: what others meet ends the job as well.
    launched job(shell({"-n", "24"}, std::string(ORIEL_REOPENING_RANK) + " " + leaver +
                                         " || { [ $ORIEL_RANK = 0 ] || sleep 1; exit 3; }"));
    EXPECT_EQ(job.status(), 3) << job.output;
    EXPECT_NE(job.output.find(said), std::string::npos) << job.output;
  }
}

// At once, and no other rank.
TEST(Parents, NameARankWhoseSocketAScriptHasReplaced) {
  const scoped_variable timeout("ORIEL_TIMEOUT", "4");
  launched job(
      shell({"-n", "24"}, "[ $ORIEL_RANK = 6 ] && eval \"exec $ORIEL_ROOT_FD>/dev/null\"; exec " +
                              std::string(ORIEL_REOPENING_RANK)));
  EXPECT_NE(job.status(), 0) << job.output;
  EXPECT_NE(job.output.find(" on rank 6, which is no socket that listens"), std::string::npos)
      << job.output;
}

}  // namespace
}  // namespace oriel::testing
