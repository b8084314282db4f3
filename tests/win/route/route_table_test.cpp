// The route that is chosen, over every combination of what it depends on.
#include "win/route/route_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <vector>

#include "tests/win/every_input.hpp"

namespace oriel::win {
namespace {

constexpr std::array all_places{place::nowhere, place::node_memory, place::private_memory,
                                place::managed_memory, place::device_memory};

const route* expected_far(assertion_set promised, const peer_facts& p) {
  if (promised.has(assertion::attach)) return p.rma ? &routes::attached : &routes::owner_message;
  if (p.where == place::nowhere) return &routes::nowhere;
  const bool written =
      p.where != place::managed_memory && (p.where != place::device_memory || p.registered);
  return p.rma && written ? &routes::fabric : &routes::owner_message;
}

const route* expected_near(assertion_set promised, const peer_facts& p) {
  if (promised.has(assertion::attach)) return &routes::by_segment;
  const bool on_device = p.where == place::device_memory;
  if (p.same_process) return on_device ? &routes::own_device : &routes::self;
  if (p.where == place::node_memory || p.where == place::nowhere) return &routes::load_store;
  if (on_device && p.ipc) return p.linked ? &routes::ipc : &routes::ipc_unlinked;
  if (on_device) return &routes::owner_mail;
  return p.where == place::private_memory && p.cma ? &routes::cma : &routes::owner_mail;
}

TEST(ChooseRoute, IsTheFastestThatTheFactsAllow) {
  const known_routes known;
  std::set<const route*> seen;
  for (const assertion_set promised : all_sets())
    for (const place where : all_places)
      for_all_flags(7, [&](auto flag) {
        const peer_facts peer{flag(0), flag(1), where, flag(2), flag(3), flag(4), flag(5), flag(6)};
        if (peer.same_process && !peer.same_node) return;
        const route_choice c = choose_route(known, promised, peer);
        seen.insert(c.by);
        const route* const expected =
            peer.same_node ? expected_near(promised, peer) : expected_far(promised, peer);
        ASSERT_EQ(c.by->name, expected->name) << to_string(promised);
        ASSERT_EQ(c.by, expected);
        // Whatever is not the fastest says what kept it.
        const bool fastest = c.by == &routes::self || c.by == &routes::own_device ||
                             c.by == &routes::load_store || c.by == &routes::ipc;
        ASSERT_EQ(c.because.empty(), fastest);
        if (c.by == &routes::by_segment) {
          ASSERT_EQ(c.because.find("refuses") == std::string_view::npos,
                    peer.same_process || peer.cma);
        }
      });
  EXPECT_EQ(seen.size(), known.all.size());
}

TEST(KnownRoutes, LackNothing) {
  for (const route* const r : known_routes{}.all) {
    EXPECT_FALSE(r->name.empty());
    for (const bool set : {r->probe != nullptr, r->find != nullptr, r->put != nullptr,
                           r->get != nullptr, r->accumulate != nullptr, r->compare_swap != nullptr,
                           r->notify != nullptr, r->refuse_notify != nullptr, r->flush != nullptr,
                           r->query != nullptr, r->segments != nullptr})
      EXPECT_TRUE(set) << r->name;
  }
}

TEST(RouteTable, KeepsNothingWhereAllIsMapped) {
  const route_table all_mapped(3);
  EXPECT_EQ(&all_mapped.to(rank{3}), &routes::self);
  EXPECT_EQ(&all_mapped.to(rank{0}), &routes::load_store);
  EXPECT_EQ(all_mapped.where(rank{7}), place::node_memory);
}

TEST(RouteTable, KeepsWhatWasFoundForEachRank) {
  const known_routes known;
  const assertion_set promised = assertion::shared_lock;
  route_table table(1);
  std::vector<peer_facts> peers(4);
  peers[0].where = place::private_memory;
  peers[1].same_process = true;
  peers[1].where = place::device_memory;
  peers[2] = peers[0];
  peers[3].same_node = false;
  for (const peer_facts& p : peers) table.add(known, promised, p);
  for (int r = 0; r < 4; ++r) {
    const peer_facts& p = peers[static_cast<std::size_t>(r)];
    const route_choice expected = choose_route(known, promised, p);
    EXPECT_EQ(&table.to(rank{r}), expected.by);
    EXPECT_EQ(table.because(rank{r}), expected.because);
    EXPECT_EQ(table.where(rank{r}), p.where);
  }
  // Whether a rank exists, slots find out.
  for (const int r : {-1, 4, 1'000'000}) EXPECT_EQ(&table.to(rank{r}), &routes::load_store);
}

TEST(RouteTable, KnowsARouteForWhatIsAttachedAndPrivate) {
  const known_routes known;
  const assertion_set promised = assertion::attach | assertion::shared_lock;
  route_table table(0);
  for (const auto& [me, cma] : {std::pair{true, false}, {false, true}, {false, false}}) {
    peer_facts p;
    p.same_process = me;
    p.cma = cma;
    table.add(known, promised, p);
  }
  for (int r = 0; r < 3; ++r) EXPECT_EQ(&table.to(rank{r}), &routes::by_segment);
  EXPECT_EQ(&table.to_private(rank{0}), &routes::self);
  EXPECT_EQ(&table.to_private(rank{1}), &routes::cma);
  EXPECT_EQ(&table.to_private(rank{2}), &routes::owner_mail);
}

}  // namespace
}  // namespace oriel::win
