// The stand-in for CUDA's runtime: variables of __device__ and __constant__, which host code names
// by the address of their shadow. Each device has its own, in its module.
#include <map>
#include <mutex>
#include <string>

#include "tests/drivers/cuda_runtime.hpp"

using namespace oriel::test_driver;

namespace {

struct variable {
  binary* of = nullptr;
  std::string name;
};

std::mutex mutex;
std::map<const void*, variable>& variables() {
  static auto& all = *new std::map<const void*, variable>;
  return all;
}

CUresult find(const void* symbol, CUdeviceptr* at, std::size_t* bytes) {
  variable v;
  {
    const std::lock_guard lock(mutex);
    const auto found = variables().find(symbol);
    if (found == variables().end()) return static_cast<CUresult>(cudaErrorInvalidSymbol);
    v = found->second;
  }
  CUmodule module = nullptr;
  if (const CUresult r = module_of(*v.of, &module); r != CUDA_SUCCESS) return r;
  return cuModuleGetGlobal(at, bytes, module, v.name.c_str());
}
// Bytes [offset, offset + bytes) of the variable.
CUresult find_part(const void* symbol, std::size_t offset, std::size_t bytes, CUdeviceptr* part) {
  CUdeviceptr at = 0;
  std::size_t all = 0;
  if (const CUresult r = find(symbol, &at, &all); r != CUDA_SUCCESS) return r;
  *part = at + offset;
  return offset <= all && bytes <= all - offset ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// Copies wait for what they copy unless they are begun in a stream.
enum class until { begun, complete };

cudaError_t copy_to(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                    cudaStream_t stream, until when) {
  return on_device([&] {
    CUdeviceptr to = 0;
    CUresult r = find_part(symbol, offset, bytes, &to);
    if (r == CUDA_SUCCESS)
      r = cuMemcpyAsync(to, reinterpret_cast<CUdeviceptr>(from), bytes, stream);
    return r == CUDA_SUCCESS && when == until::complete ? cuStreamSynchronize(stream) : r;
  });
}
cudaError_t copy_from(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                      cudaStream_t stream, until when) {
  return on_device([&] {
    CUdeviceptr from = 0;
    CUresult r = find_part(symbol, offset, bytes, &from);
    if (r == CUDA_SUCCESS)
      r = cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to), from, bytes, stream);
    return r == CUDA_SUCCESS && when == until::complete ? cuStreamSynchronize(stream) : r;
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

void __cudaRegisterVar(void** of, char* host, char*, const char* name, int, std::size_t, int, int) {
  const std::lock_guard lock(mutex);
  variables().insert_or_assign(host, variable{reinterpret_cast<binary*>(of), name});
}

cudaError_t cudaGetSymbolAddress(void** at, const void* symbol) {
  return on_device([&] { return find_part(symbol, 0, 0, reinterpret_cast<CUdeviceptr*>(at)); });
}
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return on_device([&] { return find(symbol, nullptr, bytes); });
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                               std::size_t offset, cudaMemcpyKind) {
  return copy_to(symbol, from, bytes, offset, nullptr, until::complete);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  return copy_to(symbol, from, bytes, offset, stream, until::begun);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes,
                                 std::size_t offset, cudaMemcpyKind) {
  return copy_from(to, symbol, bytes, offset, nullptr, until::complete);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes,
                                      std::size_t offset, cudaMemcpyKind, cudaStream_t stream) {
  return copy_from(to, symbol, bytes, offset, stream, until::begun);
}

}  // extern "C"
#pragma GCC visibility pop
