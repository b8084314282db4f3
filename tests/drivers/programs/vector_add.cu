// The first program of every course, and functions of real numbers.
#include <cmath>
#include <vector>

#include "check.cuh"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void saxpy(float factor, const float* __restrict__ x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = factor * x[i] + y[i];
}
__global__ void functions(const float* in, float* out) {
  const float x = in[threadIdx.x];
  out[threadIdx.x] = expf(-x) + logf(x + 1) + sinf(x) + powf(x, 1.5f) + x / 3.0f + rsqrtf(x + 1) +
                     fminf(x, 2) + floorf(x) + fabsf(-x);
}
template <class T>
__global__ void multiply(const T* a, const T* b, T* c, int n) {
  constexpr int tile = 8;
  __shared__ T left[tile][tile], right[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  T sum = 0;
  for (int k = 0; k < n; k += tile) {
    left[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

__global__ void says(const char* word, int n) {
  if (threadIdx.x == 0)
    printf("block %d of %u: %5.2f, %s, %c, %lld%%\n", blockIdx.x, gridDim.x, 1.5 * n, word, 'x',
           1ll << 40);
}

void adds() {
  constexpr int n = 5000;
  constexpr std::size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) {
    a[i] = i * 0.5f;
    b[i] = i * 0.25f;
  }
  float *on_a, *on_b, *on_c;
  CHECK(cudaMalloc(&on_a, bytes));
  CHECK(cudaMalloc(&on_b, bytes));
  CHECK(cudaMalloc(&on_c, bytes));
  CHECK(cudaMemcpy(on_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(on_b, b.data(), bytes, cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(on_a, on_b, on_c, n);
  CHECK(cudaGetLastError());
  saxpy<<<4, 128>>>(2.0f, on_a, on_c, n);
  CHECK(cudaMemcpy(c.data(), on_c, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) REQUIRE(c[i] == i * 1.75f);
  CHECK(cudaFree(on_a));
  CHECK(cudaFree(on_b));
  CHECK(cudaFree(on_c));
}

void computes() {
  float *in, *out;
  CHECK(cudaMallocManaged(&in, 32 * sizeof(float)));
  CHECK(cudaMallocManaged(&out, 32 * sizeof(float)));
  for (int i = 0; i < 32; ++i) in[i] = i * 0.3f;
  functions<<<1, 32>>>(in, out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; ++i) {
    const float x = in[i];
    const float wanted = std::exp(-x) + std::log(x + 1) + std::sin(x) + std::pow(x, 1.5f) + x / 3 +
                         1 / std::sqrt(x + 1) + std::fmin(x, 2.0f) + std::floor(x) + x;
    REQUIRE(std::fabs(out[i] - wanted) < 1e-4f * (1 + wanted));
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
}

void multiplies() {
  constexpr int n = 16;
  double *a, *b, *c;
  for (double** m : {&a, &b, &c}) CHECK(cudaMallocManaged(m, n * n * sizeof(double)));
  for (int i = 0; i < n * n; ++i) {
    a[i] = i % 7;
    b[i] = i % 5;
  }
  multiply<<<dim3(2, 2), dim3(8, 8)>>>(a, b, c, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n * n; ++i) {
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    REQUIRE(c[i] == sum);
  }
  for (double* m : {a, b, c}) CHECK(cudaFree(m));
}

void prints() {
  char* word;
  CHECK(cudaMallocManaged(&word, 8));
  for (int i = 0; i < 5; ++i) word[i] = "word"[i];
  says<<<2, 32>>>(word, 3);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(word));
}

int main() {
  prints();
  adds();
  computes();
  multiplies();
  std::puts("right");
}
