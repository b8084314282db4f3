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
