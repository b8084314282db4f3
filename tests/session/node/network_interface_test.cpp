// Which interfaces each rank uses, where ORIEL_INTERFACE names one, several or what is not there.
// (Interfaces that are down, and the spread over two: tests/faults/cables.)
#include "session/node/network_interface.hpp"

#include <gtest/gtest.h>

#include "oriel/errc.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::sessions {
namespace {

using names = std::vector<std::string>;

struct choices {
  std::vector<names> chosen;  // by rank; empty where there is none
  names thrown;
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
      all.chosen.back() = choose_interfaces(announced, r);
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

TEST(ChooseInterfaces, LeavesOneNameAndNoneAsTheyAre) {
  const choices all = choose({{"lo"}, {}, {"none-such"}});
  EXPECT_EQ(all.chosen, (std::vector<names>{{"lo"}, {""}, {"none-such"}}));
  EXPECT_EQ(all.thrown, (names{"", "", ""}));
}

// A name that comes twice stands for two interfaces: every host has one that is up.
TEST(ChooseInterfaces, TakesSeveralInTheirOrder) {
  const names both{"lo", "lo"};
  EXPECT_EQ(choose({both, both, both}).chosen, (std::vector<names>{both, both, both}));
}

TEST(ChooseInterfaces, RefusesMoreThanThereCanBe) {
  const names many(most_rails + 1, "lo");
  for (const std::string& thrown : choose({many, many}).thrown)
    EXPECT_NE(thrown.find("names 9 interfaces; valid: 8 at most"), std::string::npos) << thrown;
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

TEST(ChooseInterfaces, NeedsAsManyNamesOnEveryRank) {
  for (const names& other : {names{}, names{"lo"}, names{"lo", "lo", "lo"}})
    for (const std::string& thrown : choose({{"lo", "lo"}, {"lo", "lo"}, other}).thrown)
      EXPECT_NE(thrown.find("names 2 interfaces on rank 0 and " + std::to_string(other.size()) +
                            " on rank 2"),
                std::string::npos)
          << thrown;
}

}  // namespace
}  // namespace oriel::sessions
