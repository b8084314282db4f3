// Lists whose nodes lie on all ranks: to follow one is a get after the other. Each list is a task;
// all of a rank's are under way at once, and their gets overlap.
#include <oriel/oriel.hpp>

#include <cstdio>
#include <vector>

using namespace oriel;

namespace {

struct node {
  std::uint64_t value;
  std::uint64_t next;  // place on the next rank; `last` ends the list
};
constexpr std::uint64_t last = ~std::uint64_t{0};
constexpr std::size_t lists = 64, length = 20;  // of each rank
constexpr auto promise =
    assertion::shared_lock | assertion::local_load_store | assertion::multi_element;
using nodes = window<node, promise>;

// Returns the sum of a list's values.
task<std::uint64_t> sum(nodes& all, team world, rank at, std::uint64_t i) {
  std::uint64_t total = 0;
  while (i != last) {
    node here{};
    (co_await all.rget(at, disp{i}, std::span(&here, 1))).or_throw();
    total += here.value;
    at = rank{(at.value + 1) % world.size()};
    i = here.next;
  }
  co_return total;
}

}  // namespace

int main(int argc, char** argv) {
  session job{argc, argv};
  const team world = job.world();
  auto all = nodes::allocate(world, lists * length);
  // Node k of list l is the l-th of row k, on the k-th rank from the list's own.
  for (std::size_t k = 0; k < length; ++k)
    for (std::size_t l = 0; l < lists; ++l)
      all.local()[k * lists + l] = {l + k, k + 1 == length ? last : (k + 1) * lists + l};
  world.barrier().or_throw();

  auto epoch = all.lock_all();
  std::vector<task<std::uint64_t>> sums;
  for (std::size_t l = 0; l < lists; ++l) sums.push_back(sum(all, world, world.me(), l));
  when_all(sums).wait().or_throw();
  int wrong = 0;
  for (std::size_t l = 0; l < lists; ++l)
    if (sums[l].get() != l * length + length * (length - 1) / 2) ++wrong;
  wrong = world.allreduce(wrong, atomic_op::sum);
  if (world.me() == rank{0})
    std::printf("%zu lists on each of %d ranks: %s\n", lists, world.size(),
                wrong == 0 ? "right" : "wrong");
  return wrong == 0 ? 0 : 1;
}
