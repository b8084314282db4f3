// What goes through sync/system.hpp, beside what it stands for: the seam by which simulations own
// time and threads. tests/face/codegen_seam.cmake compares the instructions.
#include <benchmark/benchmark.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "sync/system.hpp"

namespace {

using namespace oriel;

template <class Call>
void repeat(benchmark::State& state, Call call) {
  for (auto _ : state) {
    call();
    benchmark::ClobberMemory();
  }
}

void now_seam(benchmark::State& state) {
  repeat(state, [] { benchmark::DoNotOptimize(sync::clock::now()); });
}
void now_system(benchmark::State& state) {
  repeat(state, [] { benchmark::DoNotOptimize(std::chrono::steady_clock::now()); });
}
BENCHMARK(now_seam);
BENCHMARK(now_system);

template <class Mutex>
void lock(benchmark::State& state) {
  Mutex m;
  repeat(state, [&m] {
    m.lock();
    m.unlock();
  });
}
BENCHMARK_TEMPLATE(lock, sync::mutex)->Name("lock_seam");
BENCHMARK_TEMPLATE(lock, std::mutex)->Name("lock_system");

void yield_seam(benchmark::State& state) {
  repeat(state, [] { sync::yield(); });
}
void yield_system(benchmark::State& state) {
  repeat(state, [] { sched_yield(); });
}
BENCHMARK(yield_seam);
BENCHMARK(yield_system);

std::atomic<std::uint32_t> nobody_sleeps{0};
void wake_seam(benchmark::State& state) {
  repeat(state, [] { sync::futex_wake_all(nobody_sleeps); });
}
void wake_system(benchmark::State& state) {
  repeat(state,
         [] { syscall(SYS_futex, &nobody_sleeps, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); });
}
BENCHMARK(wake_seam);
BENCHMARK(wake_system);

}  // namespace
