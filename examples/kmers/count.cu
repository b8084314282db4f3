#include "examples/kmers/count.hpp"

#include <stdexcept>
#include <string>

namespace kmers {
namespace {

// A window a thread; the sums are gathered a block first.
__global__ void count_kernel(counts_ref table, const std::uint8_t* bases, std::size_t n,
                             std::size_t starts, int k, tally* sum) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const counted_window mine = i < starts ? count_at(table, bases, n, i, k) : counted_window{};
  const int counted = __syncthreads_count(mine.is_kmer);
  const int failures = __syncthreads_count(mine.failed);
  if (threadIdx.x != 0) return;
  if (counted != 0) atomicAdd(&sum->kmers, static_cast<unsigned long long>(counted));
  if (failures != 0) atomicAdd(&sum->failures, static_cast<unsigned long long>(failures));
}

void check(cudaError_t e, const char* what) {
  if (e != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(e));
}

}  // namespace

void choose_device(int place) {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  check(cudaSetDevice(place % devices), "cudaSetDevice");
}

void count_on_device(const counts_ref& table, const std::uint8_t* bases, std::size_t n,
                     std::size_t starts, int k, tally* sum) {
  if (starts == 0) return;
  constexpr unsigned threads = 256;
  const auto blocks = static_cast<unsigned>((starts + threads - 1) / threads);
  count_kernel<<<blocks, threads>>>(table, bases, n, starts, k, sum);
  check(cudaGetLastError(), "the kernel was not launched");
  check(cudaDeviceSynchronize(), "the kernel failed");
}

}  // namespace kmers
