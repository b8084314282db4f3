// Two ranks whose calls are known: tracing_rank [TURNS] [die]. In each turn rank 0 puts 3 times 8
// bytes to rank 1, and notifies it with 16 bytes more; rank 1 waits for that and notifies back.
#include <signal.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "oriel/oriel.hpp"

int main(int argc, char** argv) {
  using namespace oriel;
  const int turns = argc > 1 ? std::atoi(argv[1]) : 1;
  const session job;
  const team all = job.world();
  window_options options;
  options.name = "the \"first\"";
  auto w = window<double, assertion::shared_lock | assertion::notify |
                              assertion::multi_element>::allocate(all, 8, options);
  options.name = "second";
  for (int i = 0; i < 30; ++i)
    options.name += "\u00e9";  // of 2 bytes: the last that is kept is cut
  auto fenced = window<int, assertion_set(assertion::fence)>::allocate(all, 1, options);
  fenced.fence().or_throw();
  fenced.fence().or_throw();
  {
    const auto epoch = w.lock_all();
    const std::array two{1.0, 2.0};
    for (int i = 0; i < turns; ++i) {
      const auto number = static_cast<std::uint64_t>(i) + 1;
      if (all.me() == rank{0}) {
        for (std::uint64_t k = 0; k < 3; ++k) w.put(rank{1}, disp{k}, 1.0).or_throw();
        w.put_notify(rank{1}, disp{4}, std::span(two), 1).or_throw();
        w.wait_notify(0, number).or_throw();
      } else if (all.me() == rank{1}) {
        w.wait_notify(1, number).or_throw();
        w.notify(rank{0}, 0, 1).or_throw();
      }
    }
  }
  if (argc > 2 && std::string_view(argv[2]) == "die" && all.me() == rank{1}) raise(SIGKILL);
  std::printf("rank %d is done\n", all.me().value);
  return 0;
}
