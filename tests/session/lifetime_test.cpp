// Opening and closing sessions leaves nothing behind.
#include <optional>

#include "tests/support/descriptors.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

TEST(Lifetime, SessionsComeAndGo) {
  std::size_t descriptors = 0;
  for (int i = 0; i < 5; ++i) {
    {
      session s;
      auto w = window<int>::allocate(s.world(), 100, assertion::fence);
      EXPECT_TRUE(w.fence().ok());
      EXPECT_TRUE(s.world().barrier().ok());
    }
    if (i == 0) descriptors = open_descriptors();
    EXPECT_EQ(open_descriptors(), descriptors);
  }
}

TEST(Lifetime, WindowsKeepWhatTheyNeed) {
  std::optional<session> s(std::in_place);
  auto w = window<int, assertion::fence | assertion::local_load_store>::allocate(s->world(), 4);
  s.reset();
  EXPECT_TRUE(w.fence().ok());
  w.local()[0] = 1;
  EXPECT_TRUE(w.fence().ok());
}

TEST(Lifetime, TheSessionsInfoBeatsTheLaunchersArgument) {
  const scoped_variable launcher("ORIEL_MEMORY_ALLOC_KINDS", "system");
  {
    session s;
    EXPECT_EQ(s.hints().get("mpi_memory_alloc_kinds"), "system");
  }
  session_options o;
  o.hints.set("mpi_memory_alloc_kinds", "mpi:alloc_mem");
  session s(o);
  EXPECT_EQ(s.hints().get("mpi_memory_alloc_kinds"), "mpi:alloc_mem");
}

TEST(Lifetime, AMalformedRequestIsAnError) {
  session_options bad;
  bad.hints.set("mpi_memory_alloc_kinds", "mpi,,");
  EXPECT_EQ(catch_error([&] { session s(bad); }).code, errc::info);
  session good;  // the failure left no claim
  EXPECT_TRUE(good.world().barrier().ok());
}

}  // namespace
}  // namespace oriel::testing
