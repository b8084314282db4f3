// The decisions of a window over every combination of their inputs.
#include "win/construct/window_plan.hpp"

#include <gtest/gtest.h>

#include "tests/win/every_input.hpp"

namespace oriel::win {
namespace {

// Facts that can be true together.
bool possible(const window_facts& f) {
  if (f.ranks == 1 && (!f.one_node || f.neighbours)) return false;
  if (f.one_node && f.ranks > 1 && !f.neighbours) return false;
  if (f.any_private && !f.neighbours) return false;
  if (f.any_closed && !(f.neighbours && (f.any_device || f.any_managed))) return false;
  if (f.any_unlinked && !(f.neighbours && f.any_device)) return false;
  return !f.any_managed || !f.neighbours || f.any_closed;
}

template <class Check>
void for_all_facts(Check check) {
  for (const flavor how : {flavor::allocate, flavor::create})
    for (const int ranks : {1, 2, 100})
      for_all_flags(10, [&](auto flag) {
        const window_facts f{how,     ranks,   flag(0), flag(1), flag(2), flag(3),
                             flag(4), flag(5), flag(6), flag(7), flag(8), flag(9)};
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
      const bool served =
          f.neighbours && (f.any_private || f.any_closed || f.any_unlinked || attach);
      ASSERT_EQ(p.agent, served);
      ASSERT_EQ(p.remote, !f.one_node);
      ASSERT_EQ(p.remote_agent, !f.one_node && (passive || f.asynchronous)) << to_string(promised);
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

}  // namespace
}  // namespace oriel::win
