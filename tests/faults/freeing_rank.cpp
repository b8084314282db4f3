// A job of three ranks in which the last one dies, and the first frees its window at once, and uses
// its memory for something else, while the second, which has not noticed yet, goes on accessing it:
// freeing_rank ACCESS allocate|create|create_shared MARKS.
// MARKS: a directory, where the first rank leaves word of how far it is.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "tests/faults/scenario.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t elements = 4096;
constexpr std::uint64_t something_else = 0xdeadf00d;
constexpr assertion_set promised = everything | assertion::notify;
using values = window<std::uint64_t>;

// One access of `target` each, complete there when it returns success.
status put(values& w, rank target) {
  static_cast<void>(w.put(target, disp{1}, 7));
  return w.flush(target);
}
status put_row(values& w, rank target) {
  static const std::vector<std::uint64_t> row(elements, 7);
  static_cast<void>(w.put(target, disp{0}, std::span(row)));
  return w.flush(target);
}
status get(values& w, rank target) {
  std::uint64_t value = 0;
  return w.get(target, disp{1}, value);
}
status accumulate(values& w, rank target) {
  static_cast<void>(w.accumulate(atomic_op::sum, target, disp{2}, 1));
  return w.flush(target);
}
status compare_swap(values& w, rank target) {
  std::uint64_t before = 0;
  return w.compare_swap(target, disp{3}, 0, 0, before);
}
status put_notify(values& w, rank target) {
  static_cast<void>(w.put_notify(target, disp{1}, 7, 0));
  return w.flush(target);
}

// A refused access is the window's error; the rank that refuses it lives.
bool is_about_the_window(errc e) {
  return e == errc::rma_range || e == errc::rma_sync || e == errc::rma_attach;
}

int run(const std::string& access, const std::string& memory, const std::string& marks) {
  const std::map<std::string, std::function<status(values&, rank)>> accesses{
      {"put", put},
      {"put_row", put_row},
      {"get", get},
      {"accumulate", accumulate},
      {"compare_swap", compare_swap},
      {"put_notify", put_notify}};
  const auto once = accesses.at(access);
  const auto marked = [&marks](const char* what) {
    return std::filesystem::exists(marks + "/" + what);
  };
  const auto mark = [&marks](const char* what) { std::ofstream(marks + "/" + what); };
  session s;
  const team world = s.world();
  const int me = world.me().value;
  std::vector<std::uint64_t> private_memory(elements);
  std::span<std::uint64_t> own = private_memory;
  if (memory == "create_shared")
    own = {reinterpret_cast<std::uint64_t*>(s.alloc_mem(own.size_bytes()).data()), elements};
  auto w = memory == "allocate" ? values::allocate(world, elements, promised)
                                : values::create(world, own, promised);
  auto all = w.lock_all(nocheck);
  all.opened().or_throw();
  if (me == 1) once(w, rank{0}).or_throw();
  world.barrier().or_throw();
  switch (me) {
    case 0:  // has detected the death, and frees
      while (!marked("dies")) pause(0.001);
      pause(0.2);
      static_cast<void>(all.end());
      mark("frees");
      static_cast<void>(w.free());
      std::fill(own.begin(), own.end(), something_else);
      mark("freed");
      break;
    case 1: {  // accesses the living alone: for a while after they have freed, or cannot
      while (!marked("frees")) pause(0.001);
      outcome o;
      auto until = steady::now() + std::chrono::seconds(3);
      for (bool freed = false; steady::now() < until; pause(0.001)) {
        o = timed([&] { return once(w, rank{0}); });
        o.text = w.failure();
        if (o.code != errc::success && !is_about_the_window(o.code)) break;
        w.clear_failure();
        if (!std::exchange(freed, marked("freed")) && freed)
          until = steady::now() + std::chrono::milliseconds(300);
      }
      const bool sound = o.code == errc::success || is_about_the_window(o.code);
      say(me, sound ? "was never told that the living are dead" : "met " + described(o));
      static_cast<void>(all.end());
      static_cast<void>(w.free());
      break;
    }
    default:
      pause(0.1);
      mark("dies");
      die();
  }
  say(me, goes_on(world, 2) ? "went on" : "did not go on");
  if (me == 0)
    say(me, std::count(own.begin(), own.end(), something_else) == std::ssize(own)
                ? "kept what was free"
                : "lost what was free");
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main(int, char** argv) {
  return oriel::testing::play([&] { return oriel::testing::run(argv[1], argv[2], argv[3]); });
}
