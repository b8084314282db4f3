// mpi_assert_memory_alloc_kinds of a window: what its hints answer (MPI-4.1 §11.4.3).
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr const char* key = "mpi_assert_memory_alloc_kinds";

std::optional<std::string> in_force(const team& t, const std::optional<std::string>& asserted) {
  window_options o;
  if (asserted) o.hints.set(key, *asserted);
  const auto w = window<int>::allocate(t, 1, assertion::fence, o);
  EXPECT_EQ(w.hints().get("mpi_memory_alloc_kinds"), "mpi,system");
  return w.hints().get(key);
}

TEST(KindsAssertion, ComesIntoForceWhenAllOfItIsProvided) {
  const team t = world().split(0);
  EXPECT_EQ(in_force(t, std::nullopt), std::nullopt) << "nothing is asserted by default";
  for (const char* provided : {"system", "mpi", "mpi:alloc_mem,system", ""})
    EXPECT_EQ(in_force(t, provided), provided);
}

TEST(KindsAssertion, IsIgnoredAsAWholeOtherwise) {
  const team t = world().split(0);
  for (const char* other : {"cuda:device", "system,cuda", "system,,mpi", "system:huge", "System"})
    EXPECT_EQ(in_force(t, other), std::nullopt) << other;
}

TEST(KindsAssertion, OfAWindowBeatsItsTeams) {
  team t = world().split(0);
  t.assert_memory_alloc_kinds("system");
  EXPECT_EQ(in_force(t, std::nullopt), "system");
  EXPECT_EQ(in_force(t, "mpi"), "mpi");
  EXPECT_EQ(in_force(t, "cuda:device"), "system") << "the window's is ignored, the team's is not";
  EXPECT_FALSE(world().hints().contains(key)) << "other teams assert nothing";
}

TEST(KindsAssertion, StaysAsItWasAtConstruction) {
  team t = world().split(0);
  t.assert_memory_alloc_kinds("system");
  const auto w = window<int>::allocate(t, 1, assertion::fence);
  t.assert_memory_alloc_kinds("mpi");
  EXPECT_EQ(w.hints().get(key), "system");
  EXPECT_EQ(in_force(t, std::nullopt), "mpi");
}

}  // namespace
}  // namespace oriel::testing
