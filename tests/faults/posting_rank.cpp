// A job of three ranks, each on a host of its own, in which the last one dies and the first detects
// that while it posts an operation to it: posting_rank OPERATION. The second lives and is far away
// in a computation; operations to it go on as before.
#include <functional>
#include <map>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t elements = 64;
constexpr int several = 50;
using values = window<std::uint64_t>;

int run(const std::string& operation) {
  const std::map<std::string, std::function<status(values&, rank)>> operations{
      {"accumulate", [](values& w, rank r) { return w.accumulate(atomic_op::sum, r, disp{0}, 1); }},
      {"put", [](values& w, rank r) { return w.put(r, disp{0}, 1); }},
      {"put_notify", [](values& w, rank r) { return w.put_notify(r, disp{0}, 1, 0); }}};
  const auto begin = operations.at(operation);
  session s;
  const team world = s.world();
  const int me = world.me().value;
  auto w = values::allocate(world, elements, everything | assertion::notify);
  auto all = w.lock_all(nocheck);
  for (int r = 0; r < world.size(); ++r) {
    begin(w, rank{r}).or_throw();
    w.flush(rank{r}).or_throw();
  }
  world.barrier().or_throw();
  if (me == 2) pause(0.3);  // those who wait for it begin to watch it
  world.barrier().or_throw();
  if (me == 2) die();
  pause(0.3);
  if (me == 1) pause(3);
  if (me == 0) {
    // Nobody has looked since, so this is when the death is found out.
    const outcome dead = timed([&] {
      status e;
      while ((e = begin(w, rank{2})).ok()) {
      }
      return e;
    });
    say(me, "met " + described(dead));
    w.clear_failure();
    const outcome living = timed([&] {
      status first;
      for (int i = 0; i < several; ++i)
        if (const status e = begin(w, rank{1}); first.ok()) first = e;
      const status flushed = w.flush(rank{1});
      return first.ok() ? flushed : first;
    });
    say(me, "reached the living with " + described(living));
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
