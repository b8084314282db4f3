// Opening and closing sessions leaves nothing behind.
#include <filesystem>
#include <optional>

#include "tests/support/descriptors.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

std::size_t files_in(const char* folder) {
  std::size_t n = 0;
  std::error_code ignored;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(folder, ignored)) ++n;
  return n;
}

TEST(Lifetime, SessionsComeAndGo) {
  std::size_t descriptors = 0, shared = 0;
  for (int i = 0; i < 5; ++i) {
    {
      session s;
      auto w = window<int>::allocate(s.world(), 100, assertion::fence);
      EXPECT_TRUE(w.fence().ok());
      EXPECT_TRUE(s.world().barrier().ok());
    }
    if (i == 0) {
      descriptors = open_descriptors();
      shared = files_in("/dev/shm");
    }
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_EQ(files_in("/dev/shm"), shared);
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
