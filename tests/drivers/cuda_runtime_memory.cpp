// The stand-in for CUDA's runtime: devices, memory, copies.
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "tests/drivers/cuda_runtime.hpp"

using namespace oriel::test_driver;

namespace {

CUdeviceptr address(const void* p) {
  return reinterpret_cast<CUdeviceptr>(p);
}
// Copies and fills that complete before the call returns.
CUresult complete(CUresult begun) {
  return begun == CUDA_SUCCESS ? cuStreamSynchronize(nullptr) : begun;
}
CUresult attribute(int* value, cudaDeviceAttr which, int device) {
  if (which == cudaDevAttrMultiProcessorCount) {
    *value = 1;
    return CUDA_SUCCESS;
  }
  return cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(which), device);
}

}  // namespace

extern "C" {

const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaErrorNoDevice) return "no CUDA-capable device is detected";
  if (error == cudaErrorMemoryAllocation) return "out of memory";
  if (error == cudaErrorIllegalAddress) return "a kernel failed; the test driver has said why";
  return error == cudaSuccess ? "no error" : "an error of the test driver";
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return noted(cuDriverGetVersion(version));
}

cudaError_t cudaGetDeviceCount(int* n) {
  return on_device([&] { return cuDeviceGetCount(n); });
}
cudaError_t cudaSetDevice(int device) {
  return noted(use_device(device));
}
cudaError_t cudaGetDevice(int* device) {
  return on_device([&] { return cuCtxGetDevice(device); });
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return on_device([&] { return attribute(value, which, device); });
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* about, int device) {
  return on_device([&] {
    *about = {};
    about->multiProcessorCount = 1;
    about->warpSize = 32;
    about->maxThreadsPerBlock = 1024;
    about->totalGlobalMem = std::size_t{8} << 30;
    attribute(&about->major, cudaDevAttrComputeCapabilityMajor, device);
    return cuDeviceGetName(about->name, sizeof about->name, device);
  });
}
cudaError_t cudaDeviceSynchronize() {
  return on_device([] { return cuCtxSynchronize(); });
}

cudaError_t cudaDeviceReset() {
  return cudaDeviceSynchronize();  // what is allocated stays
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return on_device([&] { return cuMemAlloc(reinterpret_cast<CUdeviceptr*>(memory), bytes); });
}
cudaError_t cudaMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return on_device([&] {
    return cuMemAllocManaged(reinterpret_cast<CUdeviceptr*>(memory), bytes, CU_MEM_ATTACH_GLOBAL);
  });
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  return on_device([&] { return cuMemHostAlloc(memory, bytes, flags); });
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  return cudaHostAlloc(memory, bytes, 0);
}
// Freeing waits for what still uses the memory.
cudaError_t cudaFree(void* memory) {
  return on_device([&] {
    if (memory == nullptr) return CUDA_SUCCESS;
    const CUresult waited = cuCtxSynchronize();
    const CUresult freed = cuMemFree(address(memory));
    return waited == CUDA_SUCCESS ? freed : waited;
  });
}
cudaError_t cudaFreeHost(void* memory) {
  return on_device([&] {
    cuCtxSynchronize();
    return cuMemFreeHost(memory);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  return on_device([&] { return cuMemcpyAsync(address(to), address(from), bytes, stream); });
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  return on_device(
      [&] { return complete(cuMemcpyAsync(address(to), address(from), bytes, nullptr)); });
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return on_device([&] {
    return complete(
        cuMemsetD8Async(address(to), static_cast<unsigned char>(value), bytes, nullptr));
  });
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return on_device([&] {
    return cuMemsetD8Async(address(to), static_cast<unsigned char>(value), bytes, stream);
  });
}

}  // extern "C"
