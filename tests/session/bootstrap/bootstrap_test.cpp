// Which launcher a session uses when several have left their variables.
#include "session/bootstrap/bootstrap.hpp"

#include <list>

#include "tests/support/job.hpp"
#include "tests/support/process_manager.hpp"

namespace oriel::testing {
namespace {

class Bootstrap : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"ORIEL_RANK", "ORIEL_SIZE", "ORIEL_ROOT", "PMIX_NAMESPACE",
                             "PMIX_RANK", "PMI_RANK", "PMI_SIZE", "PMI_FD", "PMI_PORT"})
      unsetenv(name);
  }
  void set(const char* name, const std::string& value) { set_.emplace_back(name, value); }
  static std::unique_ptr<sessions::bootstrap> join(const session_options& options = {}) {
    return sessions::join_job(sessions::read_environment(), options);
  }
  std::list<scoped_variable> set_;
};

TEST_F(Bootstrap, NothingIsAJobOfOne) {
  EXPECT_EQ(join()->size(), 1);
  EXPECT_EQ(join()->allgather("me"), std::vector<std::string>{"me"});
}

TEST_F(Bootstrap, EachLauncherBeatsTheNext) {
  set("PMI_RANK", "0");
  const thrown pmi = catch_error([] { join(); });
  EXPECT_EQ(pmi.code, errc::arg);
  EXPECT_NE(pmi.text.find("PMI_SIZE is not set"), std::string::npos) << pmi.text;

  set("PMIX_NAMESPACE", "no such job");
  set("PMIX_RANK", "0");
  const thrown pmix = catch_error([] { join(); });
  EXPECT_EQ(pmix.code, errc::system);
  EXPECT_NE(pmix.text.find("PMIx"), std::string::npos) << pmix.text;

  set("ORIEL_RANK", "0");
  set("ORIEL_SIZE", "1");
  EXPECT_EQ(join()->size(), 1);

  const session_options options{
      .bootstrap =
          bootstrap_callbacks{4, 5, [](const void*, std::size_t, void*) { return status(); }}};
  EXPECT_EQ(join(options)->rank(), 4);
  EXPECT_EQ(join(options)->size(), 5);
}

TEST_F(Bootstrap, HalfOfPmixIsNoPmix) {
  set("PMIX_NAMESPACE", "no such job");
  EXPECT_EQ(join()->size(), 1);
}

TEST_F(Bootstrap, NamesWhatIsMalformedInPmisVariables) {
  const struct {
    const char *rank, *size, *fd, *said;
  } rows[] = {
      {"0", "2", nullptr, "PMI_FD is not set"},
      {nullptr, "2", "5", "PMI_RANK is not set"},
      {"2", "2", "5", "PMI_RANK is '2'; valid: a number from 0 to 1"},
      {"0", "x", "5", "PMI_SIZE is 'x'"},
      {"0", "2", "-1", "PMI_FD is '-1'"},
      {"0", "2", "1000000", "PMI_FD is 1000000, which is no stream socket"},
  };
  for (const auto& row : rows) {
    set_.clear();
    if (row.rank != nullptr) set("PMI_RANK", row.rank);
    if (row.size != nullptr) set("PMI_SIZE", row.size);
    if (row.fd != nullptr) set("PMI_FD", row.fd);
    const thrown t = catch_error([] { join(); });
    EXPECT_EQ(t.code, errc::arg) << row.said;
    EXPECT_NE(t.text.find(row.said), std::string::npos) << t.text;
  }
}

TEST_F(Bootstrap, AManagerThatOffersAPortAloneIsRefused) {
  set("PMI_PORT", "host:5000");
  const thrown t = catch_error([] { join(); });
  EXPECT_EQ(t.code, errc::arg);
  EXPECT_NE(t.text.find("PMI_RANK is not set"), std::string::npos) << t.text;
}

TEST_F(Bootstrap, SessionsShareTheConnectionToTheProcessManager) {
  key_space keys(1);
  process_manager manager([&keys](const std::string& line) { return keys.answer(line); });
  set("PMI_RANK", "0");
  set("PMI_SIZE", "1");
  set("PMI_FD", std::to_string(manager.fd()));
  for (int i = 0; i < 3; ++i) {
    session s;
    EXPECT_EQ(s.world().size(), 1);
    EXPECT_TRUE(s.world().barrier().ok());
  }
  const std::string& heard = manager.heard();
  EXPECT_EQ(heard.find("cmd=init"), heard.rfind("cmd=init"));
  EXPECT_EQ(heard.find("cmd=finalize"), std::string::npos);
}

}  // namespace
}  // namespace oriel::testing
