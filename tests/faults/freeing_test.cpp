// One rank of three dies. The first survivor frees the window at once; the second goes on accessing
// the first through it until it has detected the death. It never gets an error that names the first
// as dead, changes nothing in the first one's memory after free, and both go on together.
#include <gtest/gtest.h>

#include <deque>
#include <filesystem>

#include "tests/faults/fault_driver.hpp"

namespace oriel::testing {
namespace {

struct late_access {
  const char* access;
  const char* memory;
  int hosts;
};
constexpr late_access cases[] = {
    {"put", "allocate", 3},      {"put_row", "create", 3},          {"get", "allocate", 3},
    {"get", "create", 3},        {"accumulate", "create", 3},       {"compare_swap", "allocate", 3},
    {"put_notify", "create", 3}, {"put_row", "create", 1},          {"put_row", "create_shared", 1},
    {"accumulate", "create", 1}, {"accumulate", "create_shared", 1}};

struct started {
  explicit started(const late_access& c) : what(c) {}
  late_access what;
  std::string marks = [] {
    std::string path = ::testing::TempDir() + "/oriel_freeing_XXXXXX";
    EXPECT_NE(mkdtemp(path.data()), nullptr);
    return path;
  }();
  faulty_job job{
      {"--hosts", std::to_string(what.hosts), "--ranks-per-host", std::to_string(3 / what.hosts)},
      {ORIEL_FREEING_RANK, what.access, what.memory, marks}};
  ~started() { std::filesystem::remove_all(marks); }
};

// All at once, since they wait for most of their time.
TEST(Freeing, LeavesThoseWhoStillAccessTheWindowConnected) {
  std::deque<started> all;
  for (const late_access& c : cases) all.emplace_back(c);
  for (started& s : all) {
    SCOPED_TRACE(std::string(s.what.access) + " of memory by " + s.what.memory + " on " +
                 std::to_string(s.what.hosts) + " hosts");
    EXPECT_EQ(s.job.status(), 128 + SIGKILL) << s.job.output;
    EXPECT_TRUE(s.job.said(1, "was never told that the living are dead")) << s.job.output;
    for (const int r : {0, 1}) EXPECT_TRUE(s.job.said(r, "went on")) << s.job.output;
    EXPECT_TRUE(s.job.said(0, "kept what was free")) << s.job.output;
  }
}

}  // namespace
}  // namespace oriel::testing
