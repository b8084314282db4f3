// On a GPU: what block-scope put and get move from one allocation to another, beside a plain copy
// kernel and the runtime's copy. Fails when the data is wrong, or when put or get moves less than
// half of what the plain kernel does.
#include <cstdio>
#include <exception>

#include "tests/device/gpu_world.cuh"

namespace {

using namespace oriel;
using namespace oriel::testing;

constexpr unsigned threads = 512;

__global__ void plain_copy(uint4* to, const uint4* from, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    to[i] = from[i];
}
__global__ void number(std::uint64_t* at, std::size_t n, std::uint64_t first) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    at[i] = first + i;
}
__global__ void compare(const std::uint64_t* at, std::size_t n, std::uint64_t first,
                        unsigned* wrong) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += step)
    if (at[i] != first + i) atomicAdd(wrong, 1u);
}
// Each block moves pieces of its own.
template <bool Put>
__global__ void move_blocks(window_view<std::uint64_t> view, std::uint64_t* mine, std::size_t n) {
  constexpr std::size_t piece = 1 << 14;  // 128 KiB
  for (std::size_t at = blockIdx.x * piece; at < n; at += gridDim.x * piece) {
    const std::size_t count = n - at < piece ? n - at : piece;
    if constexpr (Put)
      view.put_nbi(scope::block{}, oriel::rank{1}, disp{at}, mine + at, count);
    else
      view.get_nbi(scope::block{}, oriel::rank{1}, disp{at}, mine + at, count);
  }
}

void report(const char* what, std::size_t bytes, double seconds) {
  std::printf("%-24s %10zu KiB %9.1f GB/s read and as much written\n", what, bytes >> 10,
              static_cast<double>(bytes) / seconds / 1e9);
}

void expect_numbers(const std::uint64_t* at, std::size_t n, std::uint64_t first, const char* what) {
  gpu_array<unsigned> wrong(1);
  compare<<<256, threads>>>(at, n, first, wrong.get());
  finish();
  require(wrong.read(0) == 0, std::string(what) + " moved wrong data");
}

void measure(std::size_t bytes, unsigned blocks) {
  const std::size_t n = bytes / sizeof(std::uint64_t);
  gpu_world<std::uint64_t> world(n);
  const auto view = world.view(0);
  gpu_array<std::uint64_t> mine(n);
  std::uint64_t* const there = world.memory[1].get();
  number<<<256, threads>>>(mine.get(), n, 17);
  const int trials = on_processors() ? 1 : 10;
  const double plain = best_seconds(
      [&] {
        plain_copy<<<blocks, threads>>>(reinterpret_cast<uint4*>(there),
                                        reinterpret_cast<const uint4*>(mine.get()), bytes / 16);
      },
      trials);
  const double copied = best_seconds(
      [&] {
        check(cudaMemcpyAsync(there, mine.get(), bytes, cudaMemcpyDeviceToDevice),
              "cudaMemcpyAsync");
      },
      trials);
  check(cudaMemset(there, 0, bytes), "cudaMemset");
  const double put =
      best_seconds([&] { move_blocks<true><<<blocks, threads>>>(view, mine.get(), n); }, trials);
  expect_numbers(there, n, 17, "put");
  number<<<256, threads>>>(there, n, 99);
  const double got =
      best_seconds([&] { move_blocks<false><<<blocks, threads>>>(view, mine.get(), n); }, trials);
  expect_numbers(mine.get(), n, 99, "get");
  if (on_processors()) return;
  report("plain kernel", bytes, plain);
  report("cudaMemcpyAsync", bytes, copied);
  report("put, blocks", bytes, put);
  report("get, blocks", bytes, got);
  require(put < 2 * plain && got < 2 * plain, "put or get is less than half as fast as a copy");
}

}  // namespace

int main() try {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const auto blocks = static_cast<unsigned>(properties.multiProcessorCount) * 4;
  std::printf("%s, %u blocks of %u threads\n", properties.name, blocks, threads);
  if (on_processors()) {
    for (const std::size_t bytes : {4096 + 8 * 16, 400000}) measure(bytes, 3);
    std::printf("on processors: put and get move the right data, and no time counts\n");
    return 0;
  }
  for (const std::size_t mebibytes : {16, 64, 256, 1024}) measure(mebibytes << 20, blocks);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
