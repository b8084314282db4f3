// Talking with a process manager that is sound, rude, silent or gone.
#include "session/bootstrap/pmi_connection.hpp"

#include <fcntl.h>
#include <sys/wait.h>

#include <optional>

#include "session/bootstrap/pmi_bootstrap.hpp"
#include "tests/support/job.hpp"
#include "tests/support/process_manager.hpp"

namespace oriel::testing {
namespace {

using sessions::pmi_bootstrap;
using sessions::pmi_connection;
using clock = std::chrono::steady_clock;

clock::time_point soon(int milliseconds = 5000) {
  return clock::now() + std::chrono::milliseconds(milliseconds);
}

TEST(PmiConnection, GathersPartsOfAnyLength) {
  for (const int longest : {32, 33, 1024}) {
    constexpr int ranks = 3;
    key_space keys(ranks, longest);
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; ++r)
      threads.emplace_back([&keys, r] {
        process_manager manager([&keys](const std::string& line) { return keys.answer(line); });
        {
          pmi_connection connection(manager.fd(), r, soon());
          for (int session = 0; session < 2; ++session) {
            pmi_bootstrap mine(connection, {r, ranks, manager.fd()}, std::chrono::seconds(5));
            for (const std::size_t bytes : {0u, 1u, 700u}) {
              const auto all = mine.allgather(
                  std::string(bytes * static_cast<std::size_t>(r), static_cast<char>(r - 1)));
              ASSERT_EQ(all.size(), 3u);
              for (std::size_t i = 0; i < 3; ++i)
                ASSERT_EQ(all[i], std::string(bytes * i, static_cast<char>(i - 1)));
            }
          }
        }
        EXPECT_TRUE(manager.heard().ends_with("cmd=finalize\n"));
      });
    for (std::thread& t : threads) t.join();
  }
}

// What `work` throws when the manager answers `bad` to the command `at`, and soundly otherwise.
struct outcome {
  thrown first, second;  // and at the next call
  std::chrono::milliseconds took{0};
};
outcome with_answer(const std::string& at, const std::string& bad, int timeout_ms) {
  key_space keys(1);
  process_manager manager([&](const std::string& line) {
    return line.starts_with("cmd=" + at) ? bad : keys.answer(line);
  });
  outcome o;
  const auto start = clock::now();
  std::optional<pmi_connection> connection;
  o.first = catch_error([&] {
    connection.emplace(manager.fd(), 0, soon(timeout_ms));
    pmi_bootstrap mine(*connection, {0, 2, manager.fd()}, std::chrono::milliseconds(timeout_ms));
    (void)mine.allgather("me");
  });
  o.took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - start);
  if (connection)
    o.second = catch_error([&] { connection->barrier(soon(timeout_ms)); });
  else
    close(manager.fd());
  return o;
}

TEST(PmiConnection, RefusesNonsenseFromTheManager) {
  const struct {
    const char* at;
    std::string answer;
    const char* said;
  } rows[] = {
      {"init", "HTTP/1.1 400 Bad Request\n", "answered 'cmd=init' with 'HTTP/1.1 400"},
      {"init", "cmd=response_to_init pmi_version=2 pmi_subversion=0 rc=0\n", "PMI version 1"},
      {"init", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=-1\n", "PMI version 1"},
      {"init", "\n", "no answer of the PMI-1 protocol"},
      {"get_maxes", "cmd=maxes kvsname_max=256 keylen_max=64\n", "values of 32 characters"},
      {"get_maxes", "cmd=maxes keylen_max=64 vallen_max=-1\n", "values of 32 characters"},
      {"get_maxes", "cmd=maxes keylen_max=8 vallen_max=1024\n", "values of 32 characters"},
      {"get_maxes", std::string(200'000, 'x'), "with 'xxxx"},
      {"get_my_kvsname", "cmd=my_kvsname\n", "names no space"},
      {"get_my_kvsname", "cmd=my_kvsname kvsname=\n", "names no space"},
      {"get_my_kvsname", "cmd=my_kvsname kvsname=" + std::string(950, 'k') + "\n",
       "950 characters"},
      {"put", "cmd=put_result rc=-1 msg=full\n", "did not take key oriel-0-0-0: full"},
      {"put", "cmd=put_result rc=0 msg=success\ncmd=put_result rc=0\n", "answered nothing with"},
      {"barrier_in", "cmd=barrier_out rc=1\n", "barrier of the job failed"},
      {"barrier_in", "cmd=get_result rc=0 value=00\n", "answered 'cmd=barrier_in' with"},
      {"get ", "cmd=get_result rc=-1 msg=key_not_found value=unknown\n", "key_not_found"},
      {"get ", "cmd=get_result rc=0\n", "does not give key oriel-0-1-0"},
      {"get ", "cmd=get_result rc=0 value=xyz\n", "rank 1 has sent"},
      {"get ", "cmd=get_result rc=0 value=\n", "rank 1 has sent"},
      {"get ", "cmd=get_result rc=0 value=00\n", "rank 1 has sent"},
      {"get ", "cmd=get_result rc=0 value=ffffffffffffffff00\n", "rank 1 has sent"},
      {"get ", "cmd=get_result rc=0 value=00000000000000010203\n", "rank 1 has sent"},
      {"get ", "cmd=get_result rc=0 value=0000000000000001ab\x01\n", "no answer of the PMI-1"},
      {"get ", process_manager::hang_up, "closed the connection before it answered 'cmd=get'"},
      {"init", process_manager::hang_up, "closed the connection before it answered 'cmd=init'"},
  };
  for (const auto& row : rows) {
    const outcome o = with_answer(row.at, row.answer, 20'000);
    EXPECT_EQ(o.first.code, errc::peer_failed) << row.said;
    EXPECT_NE(o.first.text.find(row.said), std::string::npos) << row.said << "\n" << o.first.text;
    EXPECT_LT(o.took.count(), 10'000) << row.said;
  }
}

TEST(PmiConnection, WaitsNoLongerThanTheTimeOut) {
  const auto check = [](const char* at, const char* answer) {
    const outcome o = with_answer(at, answer, 200);
    EXPECT_EQ(o.first.code, errc::timed_out) << at;
    EXPECT_NE(o.first.text.find("ORIEL_TIMEOUT"), std::string::npos) << o.first.text;
    EXPECT_GE(o.took.count(), 195) << at;
    EXPECT_LT(o.took.count(), 5000) << at;
  };
  for (const char* at : {"init", "get_maxes", "get_my_kvsname", "put", "barrier_in", "get "})
    check(at, "");
  check("get ", "cmd=get_result rc=0 ");
}

TEST(PmiConnection, IsGivenUpAfterAFailure) {
  const outcome late = with_answer("barrier_in", "", 200);
  EXPECT_EQ(late.first.code, errc::timed_out);
  EXPECT_EQ(late.second.code, errc::peer_failed);
  EXPECT_NE(late.second.text.find("cannot join a job any more"), std::string::npos)
      << late.second.text;
}

TEST(PmiConnection, NeedsASocket) {
  const int file = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {file, 1 << 19}) {
    const thrown t = catch_error([&] { pmi_connection c(fd, 3, soon()); });
    EXPECT_EQ(t.code, errc::arg);
    EXPECT_NE(t.text.find("rank 3: PMI_FD is " + std::to_string(fd)), std::string::npos) << t.text;
  }
  close(file);
}

// A forked child that ends must not end the parent's membership.
TEST(PmiConnection, AChildDoesNotFinalize) {
  key_space keys(1);
  process_manager manager([&keys](const std::string& line) { return keys.answer(line); });
  std::optional<pmi_connection> connection(std::in_place, manager.fd(), 0, soon());
  const pid_t child = fork();
  if (child == 0) {
    connection.reset();
    _exit(0);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_NO_THROW(connection->barrier(soon()));
  connection.reset();
  const std::string& heard = manager.heard();
  EXPECT_EQ(heard.find("cmd=finalize"), heard.size() - std::string("cmd=finalize\n").size());
}

}  // namespace
}  // namespace oriel::testing
