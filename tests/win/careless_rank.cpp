// A rank that misuses a window or its team, and looks at no status: careless_rank window|team|fine.
#include <cstdio>
#include <string>

#include "oriel/oriel.hpp"

namespace {

using namespace oriel;

void misuse(const team& world, const std::string& what) {
  auto w =
      window<int, assertion_set(assertion::shared_lock)>::allocate(world, 10, {.name = "careless"});
  const auto epoch = w.lock_all();
  for (std::uint64_t i = 0; i < 3; ++i)
    if (what == "window") static_cast<void>(w.put(world.next(), disp{10 + i}, 1));  // the site
  static_cast<void>(w.put(world.next(), disp{0}, 1));
  if (what != "team") return;
  std::array<int, 2> all{};
  const int mine = 1;
  static_cast<void>(world.me().value == 0 ? world.barrier()
                                          : world.allgather_bytes(&mine, sizeof mine, all.data()));
}

}  // namespace

int main(int, char** argv) {
  const session s;
  misuse(s.world(), argv[1]);
  std::printf("rank %d went on\n", s.world().me().value);
  return 0;
}
