// The README's program: every rank writes to its neighbour and counts the visit.
#include <oriel/oriel.hpp>

#include <cstdio>

using namespace oriel;

int main(int argc, char** argv) {
  session job{argc, argv};
  team world = job.world();
  constexpr auto promise = assertion::shared_lock | assertion::local_load_store;
  auto hits = window<std::uint64_t, promise>::allocate(world, 1024);

  auto epoch = hits.lock_all();
  const rank next = world.next();
  hits.put(next, disp{16}, 42).or_throw();
  const auto before = hits.fetch_add(next, disp{0}, 1);
  hits.flush(next).or_throw();
  world.barrier().or_throw();
  std::printf("rank %d: %s\n", world.me().value, hits.local()[16] == 42 ? "visited" : "missed");
  return hits.local()[16] == 42 && before == 0 ? 0 : 1;
}
