#include <oriel/oriel.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  oriel::session job{argc, argv};  // the launcher describes the job
  oriel::team world = job.world();

  // What the window will be used for. Nothing else will compile.
  constexpr auto promise = oriel::assertion::shared_lock | oriel::assertion::local_load_store;
  auto cells = oriel::window<int, promise>::allocate(world, 2);  // on every rank, zeroed

  {
    auto epoch = cells.lock_all();  // ends itself
    cells.put(world.next(), oriel::disp{0}, world.me().value).or_throw();
    cells.fetch_add(oriel::rank{0}, oriel::disp{1}, 1);
    cells.flush_all().or_throw();  // complete at the targets
    world.barrier().or_throw();    // every rank has come so far
  }
  std::printf("rank %d: visited by rank %d\n", world.me().value, cells.local()[0]);
  if (world.me().value == 0)
    std::printf("rank 0: %d of %d ranks were here\n", cells.local()[1], world.size());
}
