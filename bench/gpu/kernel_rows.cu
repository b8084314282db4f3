// What kernels do through a window's view, two ranks on one GPU, of which rank 0 measures: put and
// get of blocks against the chip's bandwidth, fetch_add against its instruction, and one thread's
// quiet and put_notify.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <vector>

#include "bench/gpu/device_support.cuh"
#include "bench/gpu/rows.hpp"
#include "oriel/device.cuh"
#include "oriel/oriel.hpp"

namespace {

using namespace oriel;
using bench::check;
using bench::gpu_report;
using bench::gpu_row;
using word = unsigned long long;

constexpr auto promise = assertion::shared_lock | assertion::multi_element | assertion::notify;
constexpr unsigned copy_threads = 512, threads = 256, additions = 64;

unsigned multiprocessors() {
  int device = 0, n = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
  return static_cast<unsigned>(n);
}

__global__ void plain_copy(uint4* to, const uint4* from, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    to[i] = from[i];
}
// Each block moves pieces of its own.
template <bool Put>
__global__ void move_blocks(window_view<word> view, word* mine, std::size_t n) {
  constexpr std::size_t piece = 1 << 14;  // 128 KiB
  for (std::size_t at = blockIdx.x * piece; at < n; at += gridDim.x * piece) {
    const std::size_t count = n - at < piece ? n - at : piece;
    if constexpr (Put)
      view.put(scope::block{}, oriel::rank{1}, disp{at}, mine + at, count);
    else
      view.get(scope::block{}, oriel::rank{1}, disp{at}, mine + at, count);
  }
}

__device__ word scramble(word x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  return x ^ x >> 29;
}
template <class Add>
__device__ void at_random(std::size_t words, Add add) {
  word at = blockIdx.x * word{blockDim.x} + threadIdx.x + 1;
  for (unsigned i = 0; i < additions; ++i) {
    at = scramble(at + i);
    add(at & (words - 1));
  }
}
__global__ void raw_additions(word* memory, std::size_t words, word* sum) {
  word total = 0;
  at_random(words, [&](word i) { total += atomicAdd_system(memory + i, word{1}); });
  if (total == ~word{0}) *sum = total;  // so that the results are used
}
__global__ void additions_by_view(window_view<word> view, std::size_t words, word* sum) {
  word total = 0;
  at_random(words, [&](word i) { total += view.fetch_add(oriel::rank{1}, disp{i}, word{1}); });
  if (total == ~word{0}) *sum = total;
}

void bandwidth(const window_view<word>& view, gpu_report& report, std::size_t bytes) {
  const std::size_t n = bytes / sizeof(word);
  bench::device_array<word> mine(n), other(n);
  const unsigned blocks = multiprocessors() * 4;
  const auto rate = [bytes](auto work) {
    work();
    return static_cast<double>(bytes) / bench::seconds_on_device(work) / 1e9;
  };
  // What the chip copies within this process: the better of a plain kernel and CUDA's own.
  const auto raw = [&] {
    return std::max(
        rate([&] {
          plain_copy<<<blocks, copy_threads>>>(reinterpret_cast<uint4*>(other.get()),
                                               reinterpret_cast<const uint4*>(mine.get()),
                                               bytes / sizeof(uint4));
        }),
        rate([&] {
          check(cudaMemcpyAsync(other.get(), mine.get(), bytes, cudaMemcpyDeviceToDevice),
                "cudaMemcpyAsync");
        }));
  };
  const auto put = [&] {
    return rate([&] { move_blocks<true><<<blocks, copy_threads>>>(view, mine.get(), n); });
  };
  const auto get = [&] {
    return rate([&] { move_blocks<false><<<blocks, copy_threads>>>(view, mine.get(), n); });
  };
  gpu_row row{.bytes = bytes, .wanted = 0.85, .unit = "GB/s"};
  row.name = "kernel_put_block";
  report.compare(row, put, raw);
  row.name = "kernel_get_block";
  report.compare(row, get, raw);
}

void additions_per_second(const window_view<word>& view, word* peer, gpu_report& report,
                          std::size_t words) {
  bench::device_array<word> sum(1);
  const unsigned blocks = multiprocessors() * 64;
  const double each = static_cast<double>(blocks) * threads * additions;
  const auto rate = [each](auto work) {
    work();
    return each / bench::seconds_on_device(work) / 1e9;
  };
  report.compare(
      {.name = "kernel_fetch_add_random",
       .bytes = words * sizeof(word),
       .wanted = 0.8,
       .unit = "G/s"},
      [&] { return rate([&] { additions_by_view<<<blocks, threads>>>(view, words, sum.get()); }); },
      [&] { return rate([&] { raw_additions<<<blocks, threads>>>(peer, words, sum.get()); }); });
}

// One thread's, one after the other. Quiet after a put that the device does itself; after a
// request, which the host completes; and a notification from put_notify until its own rank's kernel
// sees it.
__global__ void quiet_direct(window_view<word> view, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    view.put(oriel::rank{1}, disp{i}, word{i});
    static_cast<void>(view.quiet(scope::thread{}));
  }
}
__global__ void quiet_requested(window_view<word> view, unsigned n) {
  for (unsigned i = 0; i < n; ++i) {
    view.put_notify(scope::thread{}, oriel::rank{1}, disp{0}, nullptr, 0, 0);
    static_cast<void>(view.quiet(scope::thread{}));
  }
}
__global__ void notify_and_wait(window_view<word> view, unsigned n) {
  const std::uint64_t before = view.notified(1);
  for (unsigned i = 1; i <= n; ++i) {
    view.put_notify(view.rank(), disp{0}, word{i}, 1);
    static_cast<void>(view.wait_notify(scope::thread{}, 1, before + i));
  }
}

void latencies(const window_view<word>& view, gpu_report& report) {
  constexpr unsigned times = 1000;
  const auto add = [&](const char* name, void (*kernel)(window_view<word>, unsigned)) {
    kernel<<<1, 1>>>(view, times);
    std::vector<double> rounds;
    for (int i = 0; i < report.rounds(); ++i)
      rounds.push_back(bench::seconds_on_device([&] { kernel<<<1, 1>>>(view, times); }) * 1e6 /
                       times);
    const double each = bench::median(rounds);
    report.add({.name = name, .ours = each, .ratio = each, .unit = "us"});
  };
  add("kernel_quiet_direct", quiet_direct);
  add("kernel_quiet_requested", quiet_requested);
  add("kernel_put_notify", notify_and_wait);
}

}  // namespace

int main(int argc, char** argv) try {
  session job(argc, argv);
  const team world = job.world();
  gpu_report report(argc, argv, world.me() == rank{0});
  constexpr std::size_t largest = std::size_t{1} << 30;
  window_options options;
  options.memory_kind = "cuda:device";
  auto w = window<word, promise>::allocate(world, largest / sizeof(word), options);
  const window_view<word> view(w.kernel_view());
  auto epoch = w.lock_all();
  if (world.me() == rank{0}) {
    word* const peer = w.shared_query(rank{1}).base;
    if (peer == nullptr) throw std::runtime_error("rank 1's memory is not mapped here");
    for (const std::size_t mebibytes : {64, 256, 1024}) bandwidth(view, report, mebibytes << 20);
    for (const int log2_words : {16, 22, 27})
      additions_per_second(view, peer, report, std::size_t{1} << log2_words);
    latencies(view, report);
  }
  world.barrier().or_throw();
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "gpu-bench-kernels: %s\n", failure.what());
  return 1;
}
