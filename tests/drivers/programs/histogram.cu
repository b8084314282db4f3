// Atomics in shared and global memory, and variables of __device__ that the host reads and writes.
#include <cstring>

#include "check.cuh"

constexpr int bins = 64;
__device__ unsigned total;
__device__ int weights[4] = {3, 1, 4, 1};
__device__ const char* names[2] = {"even", "odd"};

__global__ void count(const unsigned char* data, int n, unsigned* counts) {
  __shared__ unsigned mine[bins];
  for (int i = threadIdx.x; i < bins; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    atomicAdd(&mine[data[i] % bins], 1u);
    atomicInc(&total, 0xffffffffu);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) atomicAdd(&counts[i], mine[i]);
}
__global__ void weigh(int* out, char* letter) {
  out[threadIdx.x] = weights[threadIdx.x];
  weights[threadIdx.x] = 7;
  letter[threadIdx.x] = names[threadIdx.x % 2][0];
}

void counts() {
  constexpr int n = 10000;
  unsigned char* data;
  unsigned* found;
  CHECK(cudaMallocManaged(&data, n));
  CHECK(cudaMallocManaged(&found, bins * sizeof(unsigned)));
  unsigned wanted[bins] = {};
  for (int i = 0; i < n; ++i) ++wanted[(data[i] = i * i % 251) % bins];
  CHECK(cudaMemset(found, 0, bins * sizeof(unsigned)));
  count<<<8, 128>>>(data, n, found);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(std::memcmp(found, wanted, sizeof wanted) == 0);
  unsigned all = 0;
  CHECK(cudaMemcpyFromSymbol(&all, total, sizeof all));
  REQUIRE(all == n);
  CHECK(cudaFree(data));
  CHECK(cudaFree(found));
}

void weighs() {
  int* out;
  char* letter;
  CHECK(cudaMallocManaged(&out, 4 * sizeof(int)));
  CHECK(cudaMallocManaged(&letter, 4));
  weigh<<<1, 4>>>(out, letter);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(out[0] == 3 && out[1] == 1 && out[2] == 4 && out[3] == 1);
  REQUIRE(letter[0] == 'e' && letter[1] == 'o');
  int now[4];
  CHECK(cudaMemcpyFromSymbol(now, weights, sizeof now));
  REQUIRE(now[0] == 7 && now[3] == 7);
  const int two[2] = {8, 9};
  CHECK(cudaMemcpyToSymbol(weights, two, sizeof two, 2 * sizeof(int)));
  void* at;
  std::size_t bytes;
  CHECK(cudaGetSymbolAddress(&at, weights));
  CHECK(cudaGetSymbolSize(&bytes, weights));
  REQUIRE(bytes == sizeof now);
  CHECK(cudaMemset(at, 0, sizeof(int)));
  weigh<<<1, 4>>>(out, letter);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(out[0] == 0 && out[1] == 7 && out[2] == 8 && out[3] == 9);
  REQUIRE(cudaMemcpyToSymbol(weights, now, sizeof now, 4) == cudaErrorInvalidValue);
  REQUIRE(cudaMemcpyToSymbol(two, now, 4) == cudaErrorInvalidSymbol);
  CHECK(cudaFree(out));
  CHECK(cudaFree(letter));
}

int main() {
  counts();
  weighs();
}
