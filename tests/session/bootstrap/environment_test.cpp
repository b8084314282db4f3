// The job as the environment describes it.
#include "session/bootstrap/environment.hpp"

#include <list>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using sessions::checking;
using sessions::job_description;
using sessions::read_environment;

class Environment : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name :
         {"ORIEL_RANK", "ORIEL_SIZE", "ORIEL_ROOT", "ORIEL_ROOT_FD", "ORIEL_PARENT",
          "ORIEL_TIMEOUT", "ORIEL_CHECK", "ORIEL_JOB_SECRET", "ORIEL_CONTEXTS", "ORIEL_ADVERSARY"})
      unsetenv(name);
  }
  void set(const char* name, const char* value) { set_.emplace_back(name, value); }
  std::list<scoped_variable> set_;
};

TEST_F(Environment, NothingSetIsAJobOfOne) {
  const job_description job = read_environment();
  EXPECT_EQ(job.rank, 0);
  EXPECT_EQ(job.size, 1);
  EXPECT_EQ(job.timeout, std::chrono::seconds(60));
  EXPECT_EQ(job.check, checking::off);
  EXPECT_EQ(job.adversary, 0u);
}

TEST_F(Environment, ReadsAJob) {
  set("ORIEL_RANK", "3");
  set("ORIEL_SIZE", "4");
  set("ORIEL_ROOT", "::1:5000");
  set("ORIEL_TIMEOUT", "7");
  set("ORIEL_CHECK", "1");
  set("ORIEL_ADVERSARY", "9");
  const job_description job = read_environment();
  EXPECT_EQ(job.rank, 3);
  EXPECT_EQ(job.size, 4);
  EXPECT_EQ(job.root.host, "::1");
  EXPECT_EQ(job.root.port, 5000);
  EXPECT_EQ(job.timeout, std::chrono::seconds(7));
  EXPECT_EQ(job.check, checking::report);
  EXPECT_EQ(job.adversary, 9u);
  set("ORIEL_CHECK", "abort");
  EXPECT_EQ(read_environment().check, checking::abort);
  EXPECT_FALSE(read_environment().check_accesses);
  set("ORIEL_CHECK", "pages");
  EXPECT_EQ(read_environment().check, checking::report);
  EXPECT_TRUE(read_environment().check_accesses);
  for (const char* both : {"pages,abort", "abort,pages"}) {
    set("ORIEL_CHECK", both);
    EXPECT_EQ(read_environment().check, checking::abort);
    EXPECT_TRUE(read_environment().check_accesses);
  }
}

TEST_F(Environment, NamesWhatIsMissingOrMalformed) {
  const struct {
    const char *rank, *size, *root, *said;
  } rows[] = {
      {"0", nullptr, nullptr, "ORIEL_SIZE is not set"},
      {nullptr, "2", nullptr, "ORIEL_RANK is not set"},
      {"0", "2", nullptr, "ORIEL_ROOT is not set"},
      {"2", "2", "h:1", "ORIEL_RANK is '2'; valid: a number from 0 to 1"},
      {"-1", "2", "h:1", "ORIEL_RANK is '-1'"},
      {"x", "2", "h:1", "ORIEL_RANK is 'x'"},
      {"0", "0", "h:1", "ORIEL_SIZE is '0'"},
      {"0", "2", "host", "valid: host:port"},
      {"0", "2", ":1", "valid: host:port"},
      {"0", "2", "h:99999", "from 1 to 65535"},
      {"0", "2", "h:1x", "from 1 to 65535"},
  };
  for (const auto& row : rows) {
    set_.clear();
    if (row.rank != nullptr) set("ORIEL_RANK", row.rank);
    if (row.size != nullptr) set("ORIEL_SIZE", row.size);
    if (row.root != nullptr) set("ORIEL_ROOT", row.root);
    const thrown t = catch_error([] { read_environment(); });
    EXPECT_EQ(t.code, errc::arg) << row.said;
    EXPECT_NE(t.text.find(row.said), std::string::npos) << t.text;
  }
}

TEST_F(Environment, KnowsTheParentInAJobThatIsNoStar) {
  set("ORIEL_RANK", "4");
  set("ORIEL_ROOT", "h:1");
  set("ORIEL_ROOT_FD", "5");
  set("ORIEL_PARENT", "::1:5000");
  set("ORIEL_SIZE", "16");
  EXPECT_FALSE(read_environment().parent);
  EXPECT_EQ(read_environment().root_fd, -1);
  set("ORIEL_SIZE", "17");
  ASSERT_TRUE(read_environment().parent);
  EXPECT_EQ(read_environment().parent->host, "::1");
  EXPECT_EQ(read_environment().parent->port, 5000);
  EXPECT_EQ(read_environment().root_fd, 5);
  for (const auto& [bad, said] : {std::pair{"host", "ORIEL_PARENT is 'host'; valid: host:port"},
                                  {":1", "ORIEL_PARENT is ':1'; valid: host:port"},
                                  {"h:0",
                                   "the port of ORIEL_PARENT is '0'; valid: a number from "
                                   "1 to 65535"}}) {
    set("ORIEL_PARENT", bad);
    EXPECT_EQ(catch_error([] { read_environment(); }).text, said);
  }
  set("ORIEL_RANK", "0");
  set("ORIEL_PARENT", "h:2");
  EXPECT_EQ(catch_error([] { read_environment(); }).text,
            "ORIEL_PARENT is 'h:2'; valid: on rank 0 what ORIEL_ROOT is, 'h:1'");
  set("ORIEL_PARENT", "h:1");
  EXPECT_TRUE(read_environment().parent);
}

TEST_F(Environment, RejectsBadSwitches) {
  for (const char* bad : {"2", "yes", "", "pages,1", "0,pages"}) {
    const scoped_variable check("ORIEL_CHECK", bad);
    EXPECT_EQ(catch_error([] { read_environment(); }).code, errc::arg) << bad;
  }
  for (const char* bad : {"yes", "", "-1", "2147483648"}) {
    const scoped_variable seed("ORIEL_ADVERSARY", bad);
    const thrown t = catch_error([] { read_environment(); });
    EXPECT_EQ(t.text, std::string("ORIEL_ADVERSARY is '") + bad +
                          "'; valid: a number from 0 to 2147483647");
  }
  const scoped_variable never("ORIEL_TIMEOUT", "0");
  EXPECT_EQ(catch_error([] { read_environment(); }).code, errc::arg);
}

}  // namespace
}  // namespace oriel::testing
