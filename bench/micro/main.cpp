// Parts of the library by themselves, in one process, through Google Benchmark. For finding where
// time goes; the figures that count are those of oriel-bench.
#include <benchmark/benchmark.h>

#include <vector>

#include "atomics/kernels.hpp"
#include "sync/group_lock.hpp"
#include "sync/wait.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/route_table.hpp"

namespace {

using namespace oriel;

class no_failures final : public sync::peer_watch {
 public:
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return false; }
};

// 8-byte elements, every second one.
void pack_strided(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const shape layout{datatype::vector(n, 1, 2, datatype::of<double>()), 1};
  const std::vector<double> from(2 * n, 1.0);
  std::vector<double> to(n);
  for (auto _ : state) {
    win::pack(reinterpret_cast<const std::byte*>(from.data()), layout,
              reinterpret_cast<std::byte*>(to.data()));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(pack_strided)->Range(64, 64 << 10);

// 8-byte elements at random places of twice as many, by a datatype, and by a loop over the same
// displacements.
std::vector<std::ptrdiff_t> random_places(std::size_t n) {
  std::vector<std::ptrdiff_t> places(n);
  std::uint64_t x = 88172645463325252u;
  for (std::ptrdiff_t& p : places) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    p = static_cast<std::ptrdiff_t>(x % (2 * n));
  }
  return places;
}

void pack_indexed(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const shape layout{datatype::indexed_block(1, random_places(n), datatype::of<double>()), 1};
  const std::vector<double> from(2 * n, 1.0);
  std::vector<double> to(n);
  for (auto _ : state) {
    win::pack(reinterpret_cast<const std::byte*>(from.data()), layout,
              reinterpret_cast<std::byte*>(to.data()));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(pack_indexed)->Range(64, 64 << 10);

void unpack_indexed(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const shape layout{datatype::indexed_block(1, random_places(n), datatype::of<double>()), 1};
  std::vector<double> from(n, 1.0), to(2 * n);
  for (auto _ : state) {
    win::unpack(reinterpret_cast<const std::byte*>(from.data()),
                reinterpret_cast<std::byte*>(to.data()), layout);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(unpack_indexed)->Range(64, 64 << 10);

void pack_by_hand(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<std::ptrdiff_t> places = random_places(n);
  const std::vector<double> from(2 * n, 1.0);
  std::vector<double> to(n);
  for (auto _ : state) {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[static_cast<std::size_t>(places[i])];
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(pack_by_hand)->Range(64, 64 << 10);

void unpack_by_hand(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const std::vector<std::ptrdiff_t> places = random_places(n);
  std::vector<double> from(n, 1.0), to(2 * n);
  for (auto _ : state) {
    for (std::size_t i = 0; i < n; ++i) to[static_cast<std::size_t>(places[i])] = from[i];
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(unpack_by_hand)->Range(64, 64 << 10);

void accumulate(benchmark::State& state, atomics::kernel_mode mode) {
  const auto n = static_cast<std::size_t>(state.range(0));
  std::vector<double> target(n), origin(n, 1.0);
  const auto kernel = atomics::accumulate_kernel(atomic_op::sum, primitive::float64, mode);
  for (auto _ : state) {
    benchmark::DoNotOptimize(kernel(target.data(), origin.data(), nullptr, n, nullptr, 0));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK_CAPTURE(accumulate, atomic, atomics::kernel_mode::atomic)->Range(1, 64 << 10);
BENCHMARK_CAPTURE(accumulate, plain, atomics::kernel_mode::plain)->Range(1, 64 << 10);

void lock_and_unlock(benchmark::State& state) {
  sync::group_lock_state lock{};
  const no_failures watch;
  for (auto _ : state) {
    sync::enter(lock, sync::lock_group::exclusive, sync::capacity::one, 0, watch);
    sync::leave(lock, sync::lock_group::exclusive);
  }
}
BENCHMARK(lock_and_unlock);

void route_decision(benchmark::State& state) {
  const win::known_routes known;
  win::peer_facts peer;
  for (auto _ : state) {
    benchmark::DoNotOptimize(peer);
    benchmark::DoNotOptimize(win::choose_route(known, assertion::shared_lock, peer));
  }
}
BENCHMARK(route_decision);

}  // namespace

BENCHMARK_MAIN();
