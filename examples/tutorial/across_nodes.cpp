#include <oriel/oriel.hpp>

#include <cstdint>
#include <cstdio>

using oriel::assertion;

int main(int argc, char** argv) {
  oriel::session job{argc, argv};
  oriel::team world = job.world();
  constexpr auto promise = assertion::shared_lock | assertion::local_load_store;
  // Many small operations: to other nodes they travel many in a message.
  auto counts =
      oriel::window<long, promise>::allocate(world, 64, {.name = "counts", .aggregate = true});

  const int ranks = world.size(), me = world.me().value;
  {
    auto epoch = counts.lock_all();
    for (int r = 0; r < ranks; ++r)
      for (std::uint64_t i = 0; i < 64; ++i)
        counts.add(oriel::rank{r}, oriel::disp{i}, 1).or_throw();
    counts.flush_all().or_throw();
    world.barrier().or_throw();
  }

  int near = 0;
  for (int r = 0; r < ranks; ++r) near += world.on_node(oriel::rank{r}) ? 1 : 0;
  long sum = 0;
  for (const long count : counts.local()) sum += count;
  std::printf("rank %d: %d of %d ranks are on this node, %ld additions arrived\n", me, near, ranks,
              sum);
  if (me == 0) std::fputs(counts.explain().c_str(), stderr);  // the route to each rank, and why
}
