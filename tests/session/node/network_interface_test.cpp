// Which interface each rank uses, where ORIEL_INTERFACE names one, several or what is not there.
// (Interfaces that are down, and the spread over two: tests/faults/cables.)
#include "session/node/network_interface.hpp"

#include <gtest/gtest.h>

#include "oriel/errc.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::sessions {
namespace {

using names = std::vector<std::string>;

struct choices {
  names chosen, thrown;  // by rank; empty where there is none
};

// By as many ranks of one node, each of which names what it is given.
choices choose(const std::vector<names>& named) {
  choices all;
  names announced;
  for (const names& one : named) announced.push_back(announce_interfaces(one));
  for (int r = 0; r < static_cast<int>(named.size()); ++r) {
    all.chosen.emplace_back();
    all.thrown.emplace_back();
    try {
      all.chosen.back() = choose_interface(announced, r, r);
    } catch (const error& e) {
      all.thrown.back() = e.what();
    }
  }
  return all;
}

TEST(NamedInterfaces, AreSeparatedByCommas) {
  const auto named = [](const char* text) {
    const testing::scoped_variable set("ORIEL_INTERFACE", text);
    return named_interfaces();
  };
  EXPECT_EQ(named("eth0"), names{"eth0"});
  EXPECT_EQ(named("eth0,ib0,eth1"), (names{"eth0", "ib0", "eth1"}));
  EXPECT_EQ(named("eth0,,eth1,"), (names{"eth0", "eth1"}));
  EXPECT_EQ(named(""), names{});
}

TEST(ChooseInterface, LeavesOneNameAndNoneAsTheyAre) {
  const choices all = choose({{"lo"}, {}, {"none-such"}});
  EXPECT_EQ(all.chosen, (names{"lo", "", "none-such"}));
  EXPECT_EQ(all.thrown, (names{"", "", ""}));
}

// A name that comes twice stands for two interfaces: every host has one that is up.
TEST(ChooseInterface, TakesSeveralInTurn) {
  const choices all = choose({{"lo", "lo"}, {"lo", "lo"}, {"lo", "lo"}});
  EXPECT_EQ(all.chosen, (names{"lo", "lo", "lo"}));
}

TEST(AnnounceInterfaces, NamesTheOneThatThisHostLacks) {
  try {
    announce_interfaces({"lo", "none-such"});
    ADD_FAILURE() << "it was announced";
  } catch (const error& e) {
    EXPECT_EQ(e.code(), errc::arg);
    EXPECT_NE(std::string(e.what()).find("ORIEL_INTERFACE names 'none-such'"), std::string::npos);
  }
}

TEST(ChooseInterface, NeedsAsManyNamesOnEveryRank) {
  for (const names& other : {names{}, names{"lo"}, names{"lo", "lo", "lo"}})
    for (const std::string& thrown : choose({{"lo", "lo"}, {"lo", "lo"}, other}).thrown)
      EXPECT_NE(thrown.find("names 2 interfaces on rank 0 and " + std::to_string(other.size()) +
                            " on rank 2"),
                std::string::npos)
          << thrown;
}

}  // namespace
}  // namespace oriel::sessions
