// A libcudart without a GPU, over the CUDA test driver: what the host code that nvcc makes calls
// for `<<<>>>`, and of the rest what small programs call. It is for tests, and no product.
#include "tests/drivers/cuda_runtime.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

struct CUkern_st {
  oriel::test_driver::binary* of = nullptr;
  std::string name;
  std::map<CUmodule, CUfunction> functions{};  // a module's for each device
};

namespace oriel::test_driver {
namespace {

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

CUresult find(CUkern_st& kernel, CUfunction* found) {
  CUmodule module = nullptr;
  if (const CUresult r = module_of(*kernel.of, &module); r != CUDA_SUCCESS) return r;
  const std::lock_guard lock(mutex);
  CUfunction& function = kernel.functions[module];
  if (function == nullptr)
    if (const CUresult r = cuModuleGetFunction(&function, module, kernel.name.c_str());
        r != CUDA_SUCCESS)
      return r;
  *found = function;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult module_of(binary& of, CUmodule* module) {
  int device = 0;
  if (const CUresult r = cuCtxGetDevice(&device); r != CUDA_SUCCESS) return r;
  const std::lock_guard lock(mutex);
  CUmodule& there = of.of_device[device];
  if (there == nullptr)
    if (const CUresult r = cuModuleLoadData(&there, of.image); r != CUDA_SUCCESS) return r;
  *module = there;
  return CUDA_SUCCESS;
}

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
  return reinterpret_cast<void**>(new binary{image});
}
void __cudaRegisterFatBinaryEnd(void**) {}
// At the end of the process, when kernels may still run: its modules stay.
void __cudaUnregisterFatBinary(void**) {}
// There is nothing that a module needs before it is used.
char __cudaInitModule(void**) {
  return 1;
}
void __cudaRegisterFunction(void** of, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  const std::lock_guard lock(mutex);
  kernels().emplace(host, new CUkern_st{reinterpret_cast<binary*>(of), name});
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
  CUfunction function = nullptr;
  if (const CUresult r = find(*kernel, &function); r != CUDA_SUCCESS) return noted(r);
  return noted(cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                              static_cast<unsigned>(shared), stream, arguments, nullptr));
}

cudaError_t cudaPeekAtLastError() {
  return last_error;
}
cudaError_t cudaGetLastError() {
  return std::exchange(last_error, cudaSuccess);
}

}  // extern "C"
#pragma GCC visibility pop
