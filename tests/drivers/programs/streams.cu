// Coefficients in __constant__ memory, and several streams that events and the default stream
// bring into order.
#include <vector>

#include "check.cuh"

constexpr int radius = 3, tile = 64;
struct correction {
  float bias;
  int shift;
};
__constant__ float coefficients[2 * radius + 1];
__constant__ correction corrected = {0.5f, 1};

__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float near[tile + 2 * radius];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x + radius;
  near[at] = i < n ? in[i] : 0;
  if (threadIdx.x < radius) {
    near[at - radius] = i >= radius ? in[i - radius] : 0;
    near[at + tile] = i + tile < n ? in[i + tile] : 0;
  }
  __syncthreads();
  float sum = corrected.bias * (1 << corrected.shift);
  for (int k = -radius; k <= radius; ++k) sum += coefficients[k + radius] * near[at + k];
  if (i < n) out[i] = sum;
}
__global__ void scale(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
__global__ void increase(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}

void convolves() {
  constexpr int n = 1000;
  const float c[7] = {1, 2, 3, 4, 3, 2, 1};
  CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  float *in, *out;
  CHECK(cudaMallocManaged(&in, n * sizeof(float)));
  CHECK(cudaMallocManaged(&out, n * sizeof(float)));
  for (int i = 0; i < n; ++i) in[i] = i % 17;
  stencil<<<(n + tile - 1) / tile, tile>>>(in, out, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) {
    float sum = 1;
    for (int k = -3; k <= 3; ++k)
      if (i + k >= 0 && i + k < n) sum += c[k + 3] * in[i + k];
    REQUIRE(out[i] == sum);
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

// Streams fill and scale a part each, then, after an event, their neighbour's; the default stream
// waits for all of them, and they for it.
void takes_turns() {
  constexpr int streams = 4, part = 256, all = streams * part;
  float *host, *device;
  cudaStream_t stream[streams];
  cudaEvent_t done[streams], begin, end;
  CHECK(cudaMallocHost(&host, all * sizeof(float)));
  CHECK(cudaMalloc(&device, all * sizeof(float)));
  for (int i = 0; i < all; ++i) host[i] = i;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int s = 0; s < streams; ++s) {
    CHECK(cudaStreamCreate(&stream[s]));
    CHECK(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
  }
  CHECK(cudaEventRecord(begin));
  for (int s = 0; s < streams; ++s) {
    CHECK(cudaMemcpyAsync(device + s * part, host + s * part, part * sizeof(float),
                          cudaMemcpyHostToDevice, stream[s]));
    scale<<<part / 64, 64, 0, stream[s]>>>(device + s * part, 2, part);
    CHECK(cudaEventRecord(done[s], stream[s]));
  }
  for (int s = 0; s < streams; ++s) {
    const cudaStream_t next = stream[(s + 1) % streams];
    CHECK(cudaStreamWaitEvent(next, done[s], 0));
    increase<<<part / 64, 64, 0, next>>>(device + s * part, 3, part);
  }
  scale<<<all / 64, 64>>>(device, 5, all);  // the default stream's
  for (int s = 0; s < streams; ++s)
    increase<<<part / 64, 64, 0, stream[(s + 2) % streams]>>>(device + s * part, 7, part);
  CHECK(cudaMemcpyAsync(host, device, all * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  for (int i = 0; i < all; ++i) REQUIRE(host[i] == (i * 2 + 3) * 5 + 7);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  REQUIRE(milliseconds >= 0);
  CHECK(cudaEventQuery(end));
  for (int s = 0; s < streams; ++s) {
    CHECK(cudaStreamQuery(stream[s]));
    CHECK(cudaStreamDestroy(stream[s]));
    CHECK(cudaEventDestroy(done[s]));
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
}

int main() {
  convolves();
  for (int i = 0; i < 20; ++i) takes_turns();
  CHECK(cudaDeviceReset());
}
