// CUDA's calls, checked, and the time of work that a stream has done.
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace bench {

inline void check(cudaError_t outcome, const char* what) {
  if (outcome != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(outcome));
}
// Every kernel that was launched has ended, and none of them failed.
inline void finish() {
  check(cudaGetLastError(), "launch");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

// Zeroed elements in memory of the device, or pinned memory of the host.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n, bool pinned = false) : pinned_(pinned) {
    void* memory = nullptr;
    check(pinned ? cudaMallocHost(&memory, n * sizeof(T)) : cudaMalloc(&memory, n * sizeof(T)),
          "allocation");
    at_ = static_cast<T*>(memory);
    check(cudaMemset(at_, 0, n * sizeof(T)), "cudaMemset");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  ~device_array() { pinned_ ? cudaFreeHost(at_) : cudaFree(at_); }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  [[nodiscard]] T* get() const noexcept { return at_; }
  [[nodiscard]] T read(std::size_t i) const {
    T value;
    check(cudaMemcpy(&value, at_ + i, sizeof value, cudaMemcpyDefault), "cudaMemcpy");
    return value;
  }

 private:
  T* at_ = nullptr;
  bool pinned_;
};

// Seconds that the device takes for what `work` puts on the default stream.
template <class Work>
double seconds_on_device(Work work) {
  cudaEvent_t begin = nullptr, end = nullptr;
  check(cudaEventCreate(&begin), "cudaEventCreate");
  check(cudaEventCreate(&end), "cudaEventCreate");
  check(cudaEventRecord(begin), "cudaEventRecord");
  work();
  check(cudaGetLastError(), "launch");
  check(cudaEventRecord(end), "cudaEventRecord");
  check(cudaEventSynchronize(end), "cudaEventSynchronize");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return milliseconds / 1e3;
}
// Seconds on the host's clock; what `work` does is complete when it returns.
template <class Work>
double seconds_on_host(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace bench
