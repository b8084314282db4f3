// The route decision over every combination of its inputs.
#include "win/choose_route.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace oriel::win {
namespace {

std::vector<assertion_set> all_sets() {
  std::vector<assertion_set> sets;
  for (std::uint32_t bits = 0; bits < (1u << all_assertions.size()); ++bits) {
    assertion_set s;
    for (std::size_t i = 0; i < all_assertions.size(); ++i)
      if ((bits >> i & 1) != 0) s = s | all_assertions[i];
    sets.push_back(s);
  }
  return sets;
}

TEST(ChooseRoute, IsTheFastestThatTheFactsAllow) {
  int seen[8] = {};
  for (const assertion_set promised : all_sets())
    for (const bool same_process : {false, true})
      for (const bool same_node : {false, true})
        for (const place where : {place::nowhere, place::node_memory, place::private_memory})
          for (const auto& [cma, rma] :
               {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
            if (same_process && !same_node) continue;
            const route_choice c =
                choose_route(promised, {same_process, same_node, where, cma, rma});
            ++seen[static_cast<int>(c.via)];
            const bool attach = promised.has(assertion::attach);
            route expected = route::am;
            if (!same_node)
              expected = attach                    ? route::am
                         : where == place::nowhere ? route::none
                         : rma                     ? route::fabric
                                                   : route::am;
            else if (attach)
              expected = route::by_segment;
            else if (same_process)
              expected = route::self;
            else if (where != place::private_memory)
              expected = route::load_store;
            else if (cma)
              expected = route::cma;
            ASSERT_EQ(c.via, expected) << to_string(promised);
            // Whatever is not the fastest says what kept it.
            const bool fastest = c.via == route::self || c.via == route::load_store;
            ASSERT_EQ(c.because.empty(), fastest);
          }
  for (const route r : {route::self, route::load_store, route::cma, route::am, route::by_segment,
                        route::fabric, route::none})
    EXPECT_GT(seen[static_cast<int>(r)], 0) << name(r);
}

TEST(PlanWindow, NeedsAThreadOnlyWhereOwnersMustServeWhileTheyCompute) {
  for (const assertion_set promised : all_sets())
    for (const flavor how : {flavor::allocate, flavor::create})
      for (const int ranks : {1, 2, 100})
        for (const bool one_node : {false, true})
          for (const bool any_private : {false, true})
            for (const bool neighbours : {false, true}) {
              if (ranks == 1 && (!one_node || neighbours)) continue;
              if (any_private && !neighbours) continue;
              if (one_node && ranks > 1 && !neighbours) continue;
              const window_plan p =
                  plan_window(promised, {how, ranks, one_node, any_private, neighbours});
              const bool attach = promised.has(assertion::attach);
              const bool passive = promised.has(assertion::shared_lock) ||
                                   promised.has(assertion::exclusive_lock) ||
                                   promised.has(assertion::notify) || attach;
              const bool unmapped = neighbours && (any_private || attach);
              ASSERT_EQ(p.agent, unmapped);
              ASSERT_EQ(p.far, !one_node);
              ASSERT_EQ(p.far_agent, !one_node && passive) << to_string(promised);
              ASSERT_EQ(p.atomics, unmapped || !one_node ? domain::owner : domain::cpu);
              ASSERT_EQ(p.all_mapped, one_node && !unmapped && !attach);
            }
}

TEST(Refusal, NamesWhatCannotBe) {
  for (const assertion a : all_assertions)
    for (const flavor how : {flavor::allocate, flavor::create})
      for (const int ranks : {1, 2})
        for (const bool one_node : {false, true})
          for (const bool any_private : {false, true}) {
            const bool refused = !refusal(a, {how, ranks, one_node, any_private}).empty();
            bool expected = false;
            if (a == assertion::attach) expected = how == flavor::allocate;
            if (a == assertion::node_load_store) expected = ranks > 1 && any_private;
            if (a == assertion::remote_load_store)
              expected = !one_node || (ranks > 1 && any_private);
            EXPECT_EQ(refused, expected) << name(a);
          }
}

static_assert(choose_route(assertion_set{}, {}).via == route::load_store,
              "the decision is made at compile time where its inputs are known there");

}  // namespace
}  // namespace oriel::win
