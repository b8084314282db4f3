// Parts of the library by themselves, in one process, through Google Benchmark. For finding where
// time goes; the figures that count are those of oriel-bench.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <vector>

#include "atomics/kernels.hpp"
#include "oriel/oriel.hpp"
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

// `copy` writes to `to`, an element for each of the state's range.
template <class Copy>
void time_copies(benchmark::State& state, const std::vector<double>& to, Copy copy) {
  for (auto _ : state) {
    copy();
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void time_pack(benchmark::State& state, const datatype& type) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const shape layout{type, 1};
  const std::vector<double> from(2 * n, 1.0);
  std::vector<double> to(n);
  time_copies(state, to, [&] {
    win::pack(reinterpret_cast<const std::byte*>(from.data()), layout,
              reinterpret_cast<std::byte*>(to.data()));
  });
}

// 8-byte elements, every second one.
void pack_strided(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  time_pack(state, datatype::vector(n, 1, 2, datatype::of<double>()));
}
BENCHMARK(pack_strided)->Range(64, 64 << 10);

// 8-byte elements at random places of twice as many, by a datatype, and by a loop over the same
// displacements.
std::vector<std::ptrdiff_t> random_places(const benchmark::State& state) {
  std::vector<std::ptrdiff_t> places(static_cast<std::size_t>(state.range(0)));
  std::uint64_t x = 88172645463325252u;
  for (std::ptrdiff_t& p : places) {
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    p = static_cast<std::ptrdiff_t>(x % (2 * places.size()));
  }
  return places;
}

void pack_indexed(benchmark::State& state) {
  time_pack(state, datatype::indexed_block(1, random_places(state), datatype::of<double>()));
}
BENCHMARK(pack_indexed)->Range(64, 64 << 10);

void unpack_indexed(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const shape layout{datatype::indexed_block(1, random_places(state), datatype::of<double>()), 1};
  const std::vector<double> from(n, 1.0);
  std::vector<double> to(2 * n);
  time_copies(state, to, [&] {
    win::unpack(reinterpret_cast<const std::byte*>(from.data()),
                reinterpret_cast<std::byte*>(to.data()), layout);
  });
}
BENCHMARK(unpack_indexed)->Range(64, 64 << 10);

void pack_by_hand(benchmark::State& state) {
  const std::vector<std::ptrdiff_t> places = random_places(state);
  const std::size_t n = places.size();
  const std::vector<double> from(2 * n, 1.0);
  std::vector<double> to(n);
  time_copies(state, to, [&] {
    for (std::size_t i = 0; i < n; ++i) to[i] = from[static_cast<std::size_t>(places[i])];
  });
}
BENCHMARK(pack_by_hand)->Range(64, 64 << 10);

void unpack_by_hand(benchmark::State& state) {
  const std::vector<std::ptrdiff_t> places = random_places(state);
  const std::size_t n = places.size();
  const std::vector<double> from(n, 1.0);
  std::vector<double> to(2 * n);
  time_copies(state, to, [&] {
    for (std::size_t i = 0; i < n; ++i) to[static_cast<std::size_t>(places[i])] = from[i];
  });
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

// A put to this rank itself that is not inlined, and the same with ORIEL_TRACE: the difference is
// what an event takes.
void put_through_table(benchmark::State& state) {
  const session alone;
  auto w = window<double>::allocate(alone.world(), 1, assertion::shared_lock);
  any_window& any = w.any();
  any.lock_all().or_throw();
  const double value = 1;
  for (auto _ : state) benchmark::DoNotOptimize(any.put(rank{0}, disp{0}, &value, 1));
  any.unlock_all().or_throw();
}
BENCHMARK(put_through_table);

void put_traced(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "oriel-bench-micro-trace";
  setenv("ORIEL_TRACE", folder.c_str(), 1);
  put_through_table(state);
  unsetenv("ORIEL_TRACE");
  std::filesystem::remove_all(folder);
}
BENCHMARK(put_traced);

}  // namespace

BENCHMARK_MAIN();
