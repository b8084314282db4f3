// A rank dies while a stream of another waits for it: the stream goes on, soon, and the window's
// next flush returns why.
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "kinds/classify.hpp"
#include "tests/win/outlived_rank.hpp"
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

// On one node and on two.
TEST(DeadRank, EndsTheWaitsOfStreams) {
  for (const bool on_one_node : {true, false})
    expect_rank_0_outlives_rank_1(on_one_node, [](int) { return outlive_the_other(); });
}

}  // namespace
}  // namespace oriel::testing
