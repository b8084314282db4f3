// The route decision over every combination of its inputs.
#include "win/choose_route.hpp"

#include <gtest/gtest.h>

#include <array>
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

constexpr std::array all_places{place::nowhere, place::node_memory, place::private_memory,
                                place::managed_memory, place::device_memory};

// Every combination of `n` flags.
template <class Check>
void for_all_flags(int n, Check check) {
  for (unsigned bits = 0; bits < (1u << n); ++bits)
    check([bits](int i) { return (bits >> i & 1) != 0; });
}

route expected_far(assertion_set promised, const peer_facts& p) {
  if (promised.has(assertion::attach)) return route::am;
  if (p.where == place::nowhere) return route::none;
  const bool written =
      p.where != place::managed_memory && (p.where != place::device_memory || p.registered);
  return p.rma && written ? route::fabric : route::am;
}

route expected_near(assertion_set promised, const peer_facts& p) {
  if (promised.has(assertion::attach)) return route::by_segment;
  if (p.same_process) return route::self;
  if (p.where == place::node_memory || p.where == place::nowhere) return route::load_store;
  if (p.where == place::device_memory) return p.ipc ? route::ipc : route::am;
  return p.where == place::private_memory && p.cma ? route::cma : route::am;
}

TEST(ChooseRoute, IsTheFastestThatTheFactsAllow) {
  int seen[8] = {};
  for (const assertion_set promised : all_sets())
    for (const place where : all_places)
      for_all_flags(6, [&](auto flag) {
        const peer_facts peer{flag(0), flag(1), where, flag(2), flag(3), flag(4), flag(5)};
        if (peer.same_process && !peer.same_node) return;
        const route_choice c = choose_route(promised, peer);
        ++seen[static_cast<int>(c.via)];
        ASSERT_EQ(c.via,
                  peer.same_node ? expected_near(promised, peer) : expected_far(promised, peer))
            << to_string(promised);
        // Whatever is not the fastest says what kept it.
        const bool fastest =
            c.via == route::self || c.via == route::load_store || c.via == route::ipc;
        ASSERT_EQ(c.because.empty(), fastest);
        if (c.via == route::by_segment) {
          ASSERT_EQ(c.because.find("refuses") == std::string_view::npos,
                    peer.same_process || peer.cma);
        }
      });
  for (const int n : seen) EXPECT_GT(n, 0);
}

// Facts that can be true together.
bool possible(const window_facts& f) {
  if (f.ranks == 1 && (!f.one_node || f.neighbours)) return false;
  if (f.one_node && f.ranks > 1 && !f.neighbours) return false;
  if (f.any_private && !f.neighbours) return false;
  if (f.any_closed && !(f.neighbours && (f.any_device || f.any_managed))) return false;
  return !f.any_managed || !f.neighbours || f.any_closed;
}

template <class Check>
void for_all_facts(Check check) {
  for (const flavor how : {flavor::allocate, flavor::create})
    for (const int ranks : {1, 2, 100})
      for_all_flags(9, [&](auto flag) {
        const window_facts f{how,     ranks,   flag(0), flag(1), flag(2), flag(3),
                             flag(4), flag(5), flag(6), flag(7), flag(8)};
        if (possible(f)) check(f);
      });
}

TEST(PlanWindow, NeedsAThreadOnlyWhereOwnersMustServeWhileTheyCompute) {
  for (const assertion_set promised : all_sets())
    for_all_facts([&](const window_facts& f) {
      const window_plan p = plan_window(promised, f);
      const bool attach = promised.has(assertion::attach);
      const bool passive = promised.has(assertion::shared_lock) ||
                           promised.has(assertion::exclusive_lock) ||
                           promised.has(assertion::notify) || attach;
      const bool served = f.neighbours && (f.any_private || f.any_closed || attach);
      ASSERT_EQ(p.agent, served);
      ASSERT_EQ(p.far, !f.one_node);
      ASSERT_EQ(p.far_agent, !f.one_node && (passive || f.asynchronous)) << to_string(promised);
      ASSERT_EQ(p.device, f.any_device);
      ASSERT_EQ(p.kernels, f.any_device && f.device_atomics);
      ASSERT_EQ(p.registered, f.any_device && !f.one_node && f.registered);
      ASSERT_EQ(p.atomics, f.any_device            ? domain::device
                           : served || !f.one_node ? domain::owner
                                                   : domain::cpu);
      ASSERT_EQ(p.all_mapped, f.one_node && !served && !attach && !f.any_device && !f.any_managed);
    });
}

TEST(Refusal, NamesWhatCannotBe) {
  for (const assertion a : all_assertions)
    for_all_facts([&](const window_facts& f) {
      const bool refused = !refusal(a, f).empty();
      const bool unmapped =
          f.any_device || (f.any_managed && f.neighbours) || (f.ranks > 1 && f.any_private);
      bool expected = false;
      if (a == assertion::attach)
        expected = f.how == flavor::allocate || f.any_device || f.any_managed;
      if (a == assertion::local_load_store) expected = f.any_device;
      if (a == assertion::node_load_store) expected = unmapped;
      if (a == assertion::remote_load_store) expected = !f.one_node || unmapped;
      if (a == assertion::ordered_replace || a == assertion::ordered_accumulate)
        expected = f.any_device && !f.device_atomics;
      EXPECT_EQ(refused, expected) << name(a);
    });
}

static_assert(choose_route(assertion_set{}, {}).via == route::load_store,
              "the decision is made at compile time where its inputs are known there");

}  // namespace
}  // namespace oriel::win
