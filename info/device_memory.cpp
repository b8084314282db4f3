#include "info/device_memory.hpp"

#include <dlfcn.h>

namespace oriel::report {
namespace {

template <class Function>
Function* find(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

// The driver's own interface: there is one libcuda.so.1 for all versions of the runtime.
void* cuda_memory(std::size_t bytes) {
  void* const cuda = dlopen("libcuda.so.1", RTLD_NOW);
  if (cuda == nullptr) return nullptr;
  const auto init = find<int(unsigned)>(cuda, "cuInit");
  const auto get_device = find<int(int*, int)>(cuda, "cuDeviceGet");
  const auto retain = find<int(void**, int)>(cuda, "cuDevicePrimaryCtxRetain");
  const auto set_current = find<int(void*)>(cuda, "cuCtxSetCurrent");
  const auto allocate = find<int(unsigned long long*, std::size_t)>(cuda, "cuMemAlloc_v2");
  int device = 0;
  void* context = nullptr;
  unsigned long long memory = 0;
  if (init == nullptr || get_device == nullptr || retain == nullptr || set_current == nullptr ||
      allocate == nullptr || init(0) != 0 || get_device(&device, 0) != 0 ||
      retain(&context, device) != 0 || set_current(context) != 0 || allocate(&memory, bytes) != 0)
    return nullptr;
  return reinterpret_cast<void*>(memory);
}

void* hip_memory(std::size_t bytes) {
  for (const char* name : {"libamdhip64.so.6", "libamdhip64.so.5"}) {
    void* const hip = dlopen(name, RTLD_NOW);
    if (hip == nullptr) continue;
    const auto allocate = find<int(void**, std::size_t)>(hip, "hipMalloc");
    void* memory = nullptr;
    if (allocate != nullptr && allocate(&memory, bytes) == 0) return memory;
  }
  return nullptr;
}

}  // namespace

void* device_memory(const std::string& iface, std::size_t bytes) {
  if (iface == "cuda") return cuda_memory(bytes);
  if (iface == "rocr") return hip_memory(bytes);
  return nullptr;
}

}  // namespace oriel::report
