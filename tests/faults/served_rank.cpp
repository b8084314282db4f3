// A job of three ranks in which the last one dies while the first is stopped for a second, and the
// second sends the first a request meanwhile: served_rank OPERATION.
#include <csignal>
#include <functional>
#include <map>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

using values = window<std::uint64_t>;

int run(const std::string& operation) {
  const std::map<std::string, std::function<status(values&, rank)>> operations{
      {"accumulate",
       [](values& w, rank r) {
         const status e = w.accumulate(atomic_op::sum, r, disp{0}, 1);
         return e.ok() ? w.flush(r) : e;
       }},
      {"compare_swap",
       [](values& w, rank r) {
         std::uint64_t before = 1;
         return w.compare_swap(r, disp{0}, 0, 1, before);
       }},
      {"get_accumulate", [](values& w, rank r) {
         std::vector<std::uint64_t> ones(10, 1), before(10);
         const status e = w.get_accumulate(atomic_op::sum, r, disp{0}, ones, before);
         return e.ok() ? w.flush_local(r) : e;
       }}};
  const auto once = operations.at(operation);
  session s;
  const team world = s.world();
  const int me = world.me().value;
  std::vector<std::uint64_t> own(64);
  auto w = values::create(world, std::span(own), everything);
  const std::vector<pid_t> pids = world.allgather(getpid());
  auto all = w.lock_all(nocheck);
  if (me == 1) once(w, rank{0}).or_throw();
  world.barrier().or_throw();
  if (me == 2) die();
  if (me == 1) {
    kill(pids[0], SIGSTOP);
    std::thread waker([pid = pids[0]] {
      pause(1);
      kill(pid, SIGCONT);
    });
    pause(0.05);  // until it has stopped
    outcome o = timed([&] { return once(w, rank{0}); });
    o.text = w.failure();
    waker.join();
    say(me, "was served with " + described(o));
  } else {
    pause(1.5);
  }
  static_cast<void>(all.end());
  static_cast<void>(w.free());
  say(me, goes_on(world, 2) ? "went on" : "did not go on");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(argv[1]); });
}
