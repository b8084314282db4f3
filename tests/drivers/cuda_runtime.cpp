// A libcudart without a GPU, over the CUDA test driver: what the host code that nvcc makes calls
// for
// `<<<>>>`, and what the programs of tests/gpu, tests/device and bench/gpu call. It is for tests,
// and no product. Streams are those that do not wait for the default one, as oriel's and the tests'
// are.
#include "tests/drivers/cuda_runtime.hpp"

#include <map>
#include <mutex>
#include <utility>
#include <vector>

struct CUkern_st {
  void** binary = nullptr;
  std::string name;
  CUfunction function = nullptr;
};

namespace oriel::test_driver {
namespace {

struct binary {
  const void* image = nullptr;
  CUmodule module = nullptr;
};
struct configuration {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
};

std::mutex mutex;
thread_local std::vector<configuration> configurations;
thread_local cudaError_t last_error = cudaSuccess;

// Host code registers kernels before main, and looks them up by the address of their host function.
std::map<const void*, CUkern_st*>& kernels() {
  static auto& all = *new std::map<const void*, CUkern_st*>;
  return all;
}

// Modules are loaded when first one of their kernels is launched.
CUresult find(CUkern_st& kernel) {
  const std::lock_guard lock(mutex);
  if (kernel.function != nullptr) return CUDA_SUCCESS;
  auto& from = *reinterpret_cast<binary*>(kernel.binary);
  if (from.module == nullptr)
    if (const CUresult r = cuModuleLoadData(&from.module, from.image); r != CUDA_SUCCESS) return r;
  return cuModuleGetFunction(&kernel.function, from.module, kernel.name.c_str());
}

}  // namespace

cudaError_t noted(CUresult result) {
  const auto error = static_cast<cudaError_t>(result);  // the numbers are the same
  if (error != cudaSuccess) last_error = error;
  return error;
}

CUresult use_device(int device) {
  CUcontext now = nullptr, wanted = nullptr;
  static const CUresult begun = cuInit(0);
  if (begun != CUDA_SUCCESS) return begun;
  if (const CUresult r = cuDevicePrimaryCtxRetain(&wanted, device); r != CUDA_SUCCESS) return r;
  cuCtxGetCurrent(&now);
  if (now == wanted) return CUDA_SUCCESS;
  if (now != nullptr) cuCtxPopCurrent(&now);
  return cuCtxPushCurrent(wanted);
}
CUresult use_any_device() {
  CUcontext now = nullptr;
  return cuCtxGetCurrent(&now) == CUDA_SUCCESS && now != nullptr ? CUDA_SUCCESS : use_device(0);
}

}  // namespace oriel::test_driver

using namespace oriel::test_driver;

// No header that hosts include declares those that only nvcc's code calls.
#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* image) {
  return reinterpret_cast<void**>(new binary{image, nullptr});
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void** of, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(mutex);
  kernels().emplace(host, new CUkern_st{of, name, nullptr});
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared,
                                     CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations.empty()) return noted(CUDA_ERROR_INVALID_VALUE);
  const configuration c = configurations.back();
  configurations.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *static_cast<cudaStream_t*>(stream) = c.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  const std::lock_guard lock(mutex);
  const auto found = kernels().find(host);
  if (found == kernels().end()) return noted(CUDA_ERROR_NOT_FOUND);
  *kernel = found->second;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  if (const CUresult r = use_any_device(); r != CUDA_SUCCESS) return noted(r);
  if (const CUresult r = find(*kernel); r != CUDA_SUCCESS) return noted(r);
  return noted(cuLaunchKernel(kernel->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                              static_cast<unsigned>(shared), stream, arguments, nullptr));
}

cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
