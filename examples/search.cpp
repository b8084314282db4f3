// A sorted array over all ranks, each with its part: w[r] is a range, and std::lower_bound looks
// into the part of another rank, at as many elements as a binary search does.
#include <oriel/oriel.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>

using namespace oriel;

namespace {

constexpr std::size_t numbers_of_rank = 1000;
constexpr auto promise = assertion::shared_lock | assertion::local_load_store;
using numbers = window<std::uint64_t, promise>;

// The first number that is not below `wanted`, of all ranks; `none` where all are.
std::uint64_t lower_bound(numbers& all, const team& world, std::uint64_t wanted,
                          std::uint64_t none) {
  int first = 0, last = world.size();  // of the ranks whose part may have it
  while (first != last) {
    const int middle = std::midpoint(first, last);
    const auto part = all[rank{middle}];
    if (part[numbers_of_rank - 1] < wanted)
      first = middle + 1;
    else
      last = middle;
  }
  if (first == world.size()) return none;
  const auto part = all[rank{first}];
  return *std::lower_bound(part.begin(), part.end(), wanted);
}

}  // namespace

int main(int argc, char** argv) {
  session job{argc, argv};
  const team world = job.world();
  auto all = numbers::allocate(world, numbers_of_rank);
  const std::uint64_t count = numbers_of_rank * static_cast<std::uint64_t>(world.size());
  // The odd numbers, in order.
  std::uint64_t next = numbers_of_rank * static_cast<std::uint64_t>(world.me().value) * 2 + 1;
  for (std::uint64_t& mine : all.local()) mine = std::exchange(next, next + 2);
  world.barrier().or_throw();

  auto epoch = all.lock_all();
  std::mt19937_64 random(static_cast<std::uint64_t>(world.me().value));
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t wanted = random() % (2 * count);
    if (lower_bound(all, world, wanted, 0) != wanted + (wanted % 2 == 0 ? 1 : 0)) ++wrong;
  }
  if (lower_bound(all, world, 2 * count, 0) != 0) ++wrong;
  wrong = world.allreduce(wrong, atomic_op::sum);
  if (world.me() == rank{0})
    std::printf("100 searches on each of %d ranks: %s\n", world.size(),
                wrong == 0 ? "right" : "wrong");
  return wrong == 0 ? 0 : 1;
}
