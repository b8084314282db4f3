// Sums of blocks in shared memory, and of warps by shuffles and votes.
#include <vector>

#include "check.cuh"

__global__ void by_blocks(const int* in, int* out, int n) {
  extern __shared__ int part[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  part[t] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}

__device__ int sum_of_warp(int v) {
  for (int by = warpSize / 2; by > 0; by /= 2) v += __shfl_down_sync(0xffffffff, v, by);
  return v;
}
__global__ void by_shuffles(const int* in, int* total, int n) {
  __shared__ int of_warp[32];
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    sum += in[i];
  const int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
  sum = sum_of_warp(sum);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  sum = threadIdx.x < blockDim.x / warpSize ? of_warp[lane] : 0;
  if (warp == 0) sum = sum_of_warp(sum);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

struct votes {
  int odd, any, all;
};
__global__ void by_votes(const int* in, votes* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool odd = in[i] % 2 != 0;
  const votes here = {__popc(__ballot_sync(0xffffffff, odd)), __any_sync(0xffffffff, odd),
                      __all_sync(0xffffffff, odd)};
  if (threadIdx.x % 32 == 0) out[i / 32] = here;
}
__global__ void scan(const int* in, int* out) {
  int sum = in[threadIdx.x];
  for (unsigned by = 1; by < 32; by <<= 1) {
    const int below = __shfl_up_sync(0xffffffff, sum, by);
    if (threadIdx.x >= by) sum += below;
  }
  out[threadIdx.x] = sum;
}

int main() {
  constexpr int n = 3072, blocks = n / 256, warps = n / 32;
  int *in, *sums, *total;
  votes* found;
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&sums, 32 * sizeof(int)));
  CHECK(cudaMallocManaged(&total, sizeof(int)));
  CHECK(cudaMallocManaged(&found, warps * sizeof(votes)));
  int wanted = 0;
  for (int i = 0; i < n; ++i) wanted += in[i] = i < 32 ? 2 : i < 64 ? 3 : i * 7 % 100;

  by_blocks<<<blocks, 128, 128 * sizeof(int)>>>(in, sums, n);
  CHECK(cudaDeviceSynchronize());
  int sum = 0;
  for (int b = 0; b < blocks; ++b) sum += sums[b];
  REQUIRE(sum == wanted);

  CHECK(cudaMemset(total, 0, sizeof(int)));
  by_shuffles<<<4, 128>>>(in, total, n);
  by_votes<<<blocks, 256>>>(in, found);
  scan<<<1, 32>>>(in + 64, sums);
  CHECK(cudaDeviceSynchronize());
  REQUIRE(*total == wanted);
  for (int w = 0; w < warps; ++w) {
    int odd = 0;
    for (int i = 0; i < 32; ++i) odd += in[w * 32 + i] % 2;
    REQUIRE(found[w].odd == odd && found[w].any == (odd != 0) && found[w].all == (odd == 32));
  }
  sum = 0;
  for (int i = 0; i < 32; ++i) REQUIRE(sums[i] == (sum += in[64 + i]));
  CHECK(cudaFree(in));
  CHECK(cudaFree(sums));
  CHECK(cudaFree(total));
  CHECK(cudaFree(found));
}
