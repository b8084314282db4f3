// What this machine can do at best: the instructions and copies that oriel's rows come down to,
// with the same address patterns, in the same output format. No oriel, no MPI.
#include <sys/wait.h>

#include <atomic>
#include <cstdint>

#include "bench/limits/machine.hpp"

namespace {

using bench::alone;
using bench::keep;
using bench::nanoseconds_each;
using bench::pin;
using bench::print_row;
using bench::shared_memory;
using bench::walked;

void instruction_rows(alone& all, const bench::arguments& a) {
  const shared_memory memory(walked * 8);
  auto* const words = memory.as<std::atomic<std::uint64_t>>();
  const auto row = [&](const char* name, auto op) {
    if (!a.wants(name)) return;
    print_row(all, name, 8, nanoseconds_each(all, a.seconds, [&](long n) {
                for (long i = 0; i < n; ++i) op(words[i % walked], i);
              }));
  };
  using word = std::atomic<std::uint64_t>;
  std::uint64_t sum = 0;
  row("put_rate",
      [](word& w, long i) { w.store(static_cast<std::uint64_t>(i), std::memory_order_relaxed); });
  row("put_flush", [](word& w, long i) {
    w.store(static_cast<std::uint64_t>(i), std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  });
  row("get_flush", [&](word& w, long) {
    sum += w.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  });
  const auto compare_swap = [&](word& w, long i) {
    std::uint64_t expected = 1;
    w.compare_exchange_strong(expected, static_cast<std::uint64_t>(i));
    sum += expected;
  };
  row("fetch_add_bare", [&](word& w, long) { sum += w.fetch_add(1); });
  row("compare_swap_bare", compare_swap);
  // With the full fence of a flush, which orders the stores before it too.
  const auto fenced = [](auto op) {
    return [op](word& w, long i) {
      op(w, i);
      std::atomic_thread_fence(std::memory_order_seq_cst);
    };
  };
  row("fetch_add", fenced([&](word& w, long) { sum += w.fetch_add(1); }));
  row("accumulate", fenced([](word& w, long) { w.fetch_add(1); }));
  row("compare_swap", fenced(compare_swap));
  keep(sum);
}

// A line handed to the other core and back.
void round_trip_row(alone& all, const bench::arguments& a) {
  if (!a.wants("fence") && !a.wants("pscw")) return;
  const shared_memory memory(4096);
  auto* const ball = memory.as<std::atomic<std::uint32_t>>();
  auto* const back = memory.as<std::atomic<std::uint32_t>>() + 32;
  constexpr std::uint32_t stop = ~0u;
  const pid_t child = fork();
  if (child == 0) {
    pin(1);
    for (std::uint32_t seen = 0; seen != stop;) {
      const std::uint32_t now = ball->load(std::memory_order_acquire);
      if (now == seen) {
        __builtin_ia32_pause();
        continue;
      }
      seen = now;
      back->store(now, std::memory_order_release);
    }
    _exit(0);
  }
  pin(0);
  std::uint32_t turn = 0;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      ball->store(++turn, std::memory_order_release);
      while (back->load(std::memory_order_acquire) != turn) __builtin_ia32_pause();
    }
  });
  ball->store(stop);
  waitpid(child, nullptr, 0);
  for (const char* name : {"fence", "pscw"})
    if (a.wants(name)) print_row(all, name, 8, ns);
}

void copy_rows(alone& all, const bench::arguments& a) {
  for (const bool is_put : {true, false}) {
    const char* const name = is_put ? "put_bw" : "get_bw";
    if (!a.wants(name)) continue;
    for (const std::size_t bytes : bench::transfer_sizes) {
      const shared_memory memory(bytes);
      const bench::page_buffer buffer(bytes);
      char* const there = memory.as<char>();
      char* const here = buffer.data();
      print_row(all, name, bytes, nanoseconds_each(all, a.seconds, [&](long n) {
                  for (long i = 0; i < n; ++i) {
                    if (is_put)
                      std::memcpy(there, here, bytes);
                    else
                      std::memcpy(here, there, bytes);
                    keep(*there);
                    keep(*here);
                  }
                }));
    }
  }
}

void sum_row(alone& all, const bench::arguments& a) {
  if (!a.wants("acc_1m")) return;
  constexpr std::size_t n_elements = 1 << 20;
  const shared_memory memory(n_elements * 8);
  auto* __restrict const target = memory.as<double>();
  const std::vector<double> values(n_elements, 1.0);
  const double* __restrict const origin = values.data();
  print_row(all, "acc_1m", n_elements * 8, nanoseconds_each(all, a.seconds, [&](long n) {
              for (long i = 0; i < n; ++i) {
                for (std::size_t k = 0; k < n_elements; ++k) target[k] += origin[k];
                keep(*target);
              }
            }));
}

}  // namespace

int main(int argc, char** argv) {
  const bench::arguments a(argc, argv);
  bench::list_limits(a);
  bench::table_limits(a);
  alone all;
  pin(0);
  instruction_rows(all, a);
  copy_rows(all, a);
  sum_row(all, a);
  bench::memory_limits(all, a);
  round_trip_row(all, a);
  return 0;
}
