// Memory, launches and times of the GPU's programs; failures are exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace oriel::testing {

inline void check(cudaError_t outcome, const char* what) {
  if (outcome != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(outcome));
}
// Every kernel that was launched has ended, and none of them failed.
inline void finish() {
  check(cudaGetLastError(), "launch");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}
inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

// Whether this is the test driver, on whose processors kernels take a thousand times as long:
// programs then do the same at smaller sizes, and report and judge no time.
inline bool on_processors() {
  cudaDeviceProp about;
  check(cudaGetDeviceProperties(&about, 0), "cudaGetDeviceProperties");
  return std::string_view(about.name) == "test device";
}

enum class place { device, pinned };

// Zeroed elements.
template <class T>
class gpu_array {
 public:
  gpu_array(std::size_t n, place where = place::device) : n_(n), where_(where) {
    void* memory = nullptr;
    if (where == place::device)
      check(cudaMalloc(&memory, n * sizeof(T)), "cudaMalloc");
    else
      check(cudaHostAlloc(&memory, n * sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
    at_ = static_cast<T*>(memory);
    check(cudaMemset(at_, 0, n * sizeof(T)), "cudaMemset");
  }
  ~gpu_array() { where_ == place::device ? cudaFree(at_) : cudaFreeHost(at_); }
  gpu_array(const gpu_array&) = delete;
  gpu_array& operator=(const gpu_array&) = delete;

  [[nodiscard]] T* get() const noexcept { return at_; }
  [[nodiscard]] std::size_t size() const noexcept { return n_; }
  [[nodiscard]] T read(std::size_t i) const {
    T value;
    check(cudaMemcpy(&value, at_ + i, sizeof value, cudaMemcpyDefault), "cudaMemcpy");
    return value;
  }
  void write(std::size_t i, const T& value) {
    check(cudaMemcpy(at_ + i, &value, sizeof value, cudaMemcpyDefault), "cudaMemcpy");
  }

 private:
  T* at_ = nullptr;
  std::size_t n_;
  place where_;
};

// Seconds of one call, the best of several after one that is not counted.
template <class F>
double best_seconds(F work, int trials = 10) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  float best = 0;
  for (int i = 0; i <= trials; ++i) {
    check(cudaEventRecord(begin), "cudaEventRecord");
    work();
    check(cudaEventRecord(end), "cudaEventRecord");
    check(cudaEventSynchronize(end), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    if (i == 1 || (i > 1 && milliseconds < best)) best = milliseconds;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return best / 1e3;
}

}  // namespace oriel::testing
