// A rank whose windows count what is known: counting_rank. Each rank puts 10 elements one by one
// and 3 times 100 at once into its own memory, in each of two windows.
#include <cstdio>
#include <string>
#include <vector>

#include "oriel/oriel.hpp"

int main() {
  using namespace oriel;
  const session job;
  std::string second = "the \"second\"";
  for (int i = 0; i < 30; ++i) second += "\u00e9";  // of 2 bytes: the last that is kept is cut
  for (const std::string& name : {std::string("first\xff"), second}) {
    window_options options;
    options.name = name;
    auto w = window<int>::allocate(job.world(), 100, assertion::fence | assertion::multi_element,
                                   options);
    const rank me = job.world().me();
    const std::vector<int> many(100, 1);
    w.fence().or_throw();
    for (std::uint64_t i = 0; i < 10; ++i) w.put(me, disp{i}, 1).or_throw();
    for (int i = 0; i < 3; ++i) w.put(me, disp{0}, std::span<const int>(many)).or_throw();
    w.fence().or_throw();
  }
  std::printf("rank %d is done\n", job.world().me().value);
  return 0;
}
