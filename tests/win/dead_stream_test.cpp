// A rank dies while a stream of another waits for it: the stream goes on, soon, and the window's
// next flush returns why.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

#include "kinds/classify.hpp"
#include "tests/win/program_stream.hpp"

namespace oriel::testing {
namespace {

constexpr auto promise = assertion::shared_lock | assertion::multi_element | assertion::notify;

// Returns 0 where all is as it should be, else what was not.
int outlive_the_other() {
  session& s = job();
  auto w = window<std::int64_t>::allocate(s.world(), 100, promise, on(device_kind()));
  const program_stream stream(kinds::classify(w.shared_query(s.world().me()).base)->device);
  program_buffer<std::int64_t> row(10, device_kind());
  row.fill(5);
  auto epoch = w.lock_all();
  // Of two waits the first is for what has come.
  if (!w.notify(rank{0}, 0).ok() || !w.wait_on(stream, 0, 1).ok()) return 4;
  if (!w.wait_on(stream, 0, 3).ok()) return 5;
  if (!w.put_on(stream, rank{0}, disp{0}, row.span()).ok()) return 6;
  s.world().barrier().or_throw();
  if (s.world().me().value == 1) kill(getpid(), SIGKILL);
  const auto began = std::chrono::steady_clock::now();
  if (!stream.synchronize()) return 7;
  if (std::chrono::steady_clock::now() - began > std::chrono::seconds(8)) return 8;
  if (w.flush(rank{0}).code() != errc::peer_failed) return 9;
  if (w.first_failure().find("wait_on: counter 0 did not come to 3") == std::string::npos ||
      w.first_failure().find("rank 1") == std::string::npos)
    return 10;
  // What the stream held behind the wait was done.
  if (w.get(rank{0}, disp{9}) != 5) return 11;
  w.clear_failure();
  // To the dead: on a node its memory is still there, on another node it is reached no more.
  if (!w.put_on(stream, rank{1}, disp{0}, row.span()).ok()) return 12;
  if (!stream.synchronize()) return 13;
  if (!s.world().on_node(rank{1}) && w.flush(rank{0}).code() != errc::peer_failed) return 14;
  return 0;
}

// In processes of their own: a job of two, by the rendezvous' environment, on one node and on two.
TEST(DeadRank, EndsTheWaitsOfStreams) {
  for (const bool on_one_node : {true, false}) {
    const int port = 20000 + getpid() % 20000 + (on_one_node ? 0 : 1);
    std::array<pid_t, 2> children{};
    for (int r = 0; r < 2; ++r) {
      children[static_cast<std::size_t>(r)] = fork();
      if (children[static_cast<std::size_t>(r)] != 0) continue;
      alarm(30);
      setenv("ORIEL_RANK", std::to_string(r).c_str(), 1);
      setenv("ORIEL_SIZE", "2", 1);
      setenv("ORIEL_ROOT", ("127.0.0.1:" + std::to_string(port)).c_str(), 1);
      if (!on_one_node) setenv("ORIEL_NODE_ID", std::to_string(r).c_str(), 1);
      int code = 3;
      try {
        code = outlive_the_other();
      } catch (const error& e) {
        fprintf(stderr, "rank %d: %s\n", r, e.what());
      }
      _exit(code);
    }
    int how = 0;
    waitpid(children[1], &how, 0);
    EXPECT_TRUE(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL) << WEXITSTATUS(how);
    waitpid(children[0], &how, 0);
    EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << WEXITSTATUS(how);
  }
}

}  // namespace
}  // namespace oriel::testing
