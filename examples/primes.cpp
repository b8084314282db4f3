// Tasks that make tasks, on whatever rank has time: rank 0 has a range of numbers whose primes are
// to be counted; who pops a range splits it while it is long, and counts when it is short.
#include <oriel/oriel.hpp>
#include <oriel/queue.hpp>

#include <array>
#include <cstdio>

using namespace oriel;

namespace {
struct range {
  std::uint64_t first, last;  // without the last
};
constexpr std::uint64_t numbers = 200'000;
constexpr std::uint64_t primes_below = 17'984;

bool is_prime(std::uint64_t n) {
  for (std::uint64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}
}  // namespace

int main(int argc, char** argv) {
  session job{argc, argv};
  const team world = job.world();
  queue<range> ranges(world, 1000);
  // How many numbers have not been looked at: when none are left, no task will make another one.
  auto left = window<std::uint64_t, assertion::shared_lock>::allocate(
      world, 1, {.ops = atomic_op::sum | atomic_op::no_op});
  const auto counting = left.lock_all();
  if (world.me() == rank{0}) left.add(rank{0}, disp{0}, numbers).or_throw();
  left.flush_all().or_throw();

  std::uint64_t found = 0, tasks = 0;
  {
    auto p = ranges.mixed();
    if (world.me() == rank{0}) p.push(rank{0}, range{0, numbers}).outcome.or_throw();
    while (left.fetch_op<atomic_op::no_op>(rank{0}, disp{0}, 0) != 0) {
      range r{};
      const auto [popped, outcome] = p.pop(r);
      outcome.or_throw();
      if (popped == 0) continue;
      const std::uint64_t middle = r.first + (r.last - r.first) / 2;
      const std::array<range, 2> halves{range{r.first, middle}, range{middle, r.last}};
      // Own parts have room for all halves that there can be; others pop them from there.
      if (r.last - r.first > 1000 && p.push(world.me(), halves).count == 2) continue;
      for (std::uint64_t n = r.first; n < r.last; ++n) found += is_prime(n) ? 1 : 0;
      ++tasks;
      left.add(rank{0}, disp{0}, r.first - r.last).or_throw();
      left.flush(rank{0}).or_throw();
    }
    p.end().or_throw();
  }
  const std::uint64_t all = world.allreduce(found, atomic_op::sum);
  const std::uint64_t ended = world.allreduce(tasks, atomic_op::sum);
  if (world.me() == rank{0})
    std::printf("%llu primes below %llu, in %llu tasks: %s\n", static_cast<unsigned long long>(all),
                static_cast<unsigned long long>(numbers), static_cast<unsigned long long>(ended),
                all == primes_below ? "right" : "wrong");
  return all == primes_below ? 0 : 1;
}
