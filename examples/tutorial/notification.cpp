#include <oriel/oriel.hpp>

#include <cstdio>

using oriel::assertion;

int main(int argc, char** argv) {
  oriel::session job{argc, argv};
  oriel::team world = job.world();
  constexpr auto promise = assertion::fence | assertion::notify | assertion::local_load_store;
  auto sums = oriel::window<int, promise>::allocate(world, 2);

  // [fence] An epoch of all ranks: between two fences everybody may write.
  sums.fence().or_throw();
  sums.put(world.next(), oriel::disp{0}, 10 * world.me().value).or_throw();
  sums.fence().or_throw();
  const int from_left = sums.local()[0];
  // [end of fence]

  // [notify] A chain: each rank waits for one other, and for nobody else.
  const int me = world.me().value;
  int sum = from_left;
  if (me > 0) {
    sums.wait_notify(0, 1).or_throw();  // counter 0 has reached 1
    sum += sums.local()[1];
  }
  if (me + 1 < world.size()) sums.put_notify(world.next(), oriel::disp{1}, sum, 0).or_throw();
  // [end of notify]
  sums.fence().or_throw();

  if (me + 1 == world.size()) std::printf("rank %d: the sum is %d\n", me, sum);
}
