// Keys of all ranks, most of which come once: a Bloom filter finds the few that may have come
// before, and only these need a place in a table.
#include <oriel/bloom_filter.hpp>
#include <oriel/oriel.hpp>

#include <cstdio>
#include <memory>
#include <vector>

using namespace oriel;

int main(int argc, char** argv) {
  session job{argc, argv};
  const team world = job.world();
  const auto me = static_cast<std::uint64_t>(world.me().value);
  const auto ranks = static_cast<std::uint64_t>(world.size());
  constexpr std::uint64_t each = 20'000;  // new keys of a rank
  constexpr double rate = 0.01;

  bloom_filter<std::uint64_t> seen(world, each * ranks, rate);
  std::vector<std::uint64_t> keys(each);
  for (std::uint64_t i = 0; i < each; ++i) keys[i] = me * each + i;
  seen.insert_only().insert(keys).or_throw();

  // The next batch: one key in a hundred came before, on the next rank.
  const std::uint64_t next = (me + 1) % ranks;
  std::uint64_t again = 0;
  for (std::uint64_t i = 0; i < each; ++i) {
    const bool old = i % 100 == 0;
    keys[i] = (old ? next : ranks + me) * each + i;
    again += old ? 1 : 0;
  }
  const std::unique_ptr<bool[]> maybe(new bool[each]);
  auto p = seen.find_only();
  const auto [found, outcome] = p.contains(keys, std::span(maybe.get(), each));
  outcome.or_throw();
  bool missed = false;
  for (std::uint64_t i = 0; i < each; i += 100) missed = missed || !maybe[i];

  const std::uint64_t all = world.allreduce(found, atomic_op::sum);
  const std::uint64_t really = world.allreduce(again, atomic_op::sum);
  const bool right =
      world.allreduce(missed ? 1 : 0, atomic_op::max) == 0 &&
      static_cast<double>(all - really) < 1.5 * rate * static_cast<double>(each * ranks);
  if (world.me() == rank{0})
    std::printf("of %llu keys %llu came before, and the filter says so of %llu: %s\n",
                static_cast<unsigned long long>(each * ranks),
                static_cast<unsigned long long>(really), static_cast<unsigned long long>(all),
                right ? "right" : "wrong");
  return right ? 0 : 1;
}
