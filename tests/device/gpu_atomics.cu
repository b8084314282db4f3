// On a GPU: the rate of fetch_add on random words of another rank, beside the machine's own
// instruction on the same words. Fails when an addition is lost, or when the rate is less than
// half. On processors the rates count for nothing.
#include <cstdio>
#include <exception>

#include "tests/device/gpu_world.cuh"

namespace {

using namespace oriel;
using namespace oriel::testing;

using word = unsigned long long;
constexpr unsigned threads = 256, additions = 64;

__device__ word scramble(word x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

// `add` is given every word's place.
template <class F>
__device__ void at_random(std::size_t words, F add) {
  word at = blockIdx.x * word{blockDim.x} + threadIdx.x + 1;
  for (unsigned i = 0; i < additions; ++i) {
    at = scramble(at + i);
    add(at & (words - 1));
  }
}
__global__ void raw(word* memory, std::size_t words, word* sum) {
  word total = 0;
  at_random(words, [&](word i) { total += atomicAdd_system(memory + i, word{1}); });
  if (total == ~word{0}) *sum = total;  // the results are wanted
}
__global__ void ours(window_view<word> view, std::size_t words, word* sum) {
  word total = 0;
  at_random(words, [&](word i) { total += view.fetch_add(oriel::rank{1}, disp{i}, word{1}); });
  if (total == ~word{0}) *sum = total;
}
__global__ void add_up(const word* memory, std::size_t words, word* sum) {
  word mine = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < words;
       i += std::size_t{gridDim.x} * blockDim.x)
    mine += memory[i];
  atomicAdd(sum, mine);
}

void measure(std::size_t words, unsigned blocks) {
  gpu_world<word> world(words);
  gpu_array<word> sink(1), sum(1);
  word* const there = world.memory[1].get();
  const int trials = on_processors() ? 1 : 5;
  const double by_machine =
      best_seconds([&] { raw<<<blocks, threads>>>(there, words, sink.get()); }, trials);
  check(cudaMemset(there, 0, words * sizeof(word)), "cudaMemset");
  const double by_view =
      best_seconds([&] { ours<<<blocks, threads>>>(world.view(0), words, sink.get()); }, trials);
  add_up<<<256, 256>>>(there, words, sum.get());
  finish();
  const word each = word{blocks} * threads * additions;
  require(sum.read(0) == each * (trials + 1), "additions were lost");
  if (on_processors()) return;
  const auto rate = [each](double seconds) { return static_cast<double>(each) / seconds / 1e9; };
  std::printf("%8zu MiB: atomicAdd_system %8.2f G/s, fetch_add %8.2f G/s\n",
              words * sizeof(word) >> 20, rate(by_machine), rate(by_view));
  require(by_view < 2 * by_machine, "fetch_add is less than half as fast as the instruction");
}

}  // namespace

int main() try {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
  const bool small = on_processors();
  const auto blocks = static_cast<unsigned>(properties.multiProcessorCount) * (small ? 4 : 64);
  std::printf("%s, %u blocks of %u threads\n", properties.name, blocks, threads);
  if (small) {
    for (const int log2_words : {4, 12}) measure(std::size_t{1} << log2_words, blocks);
    std::printf("on processors: no addition is lost, and no time counts\n");
    return 0;
  }
  for (const int log2_words : {16, 22, 27}) measure(std::size_t{1} << log2_words, blocks);
  return 0;
} catch (const std::exception& failure) {
  std::fprintf(stderr, "%s\n", failure.what());
  return 1;
}
