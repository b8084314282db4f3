// What the files of the stand-in for CUDA's runtime share.
#pragma once

#pragma GCC visibility push(default)
#include <cuda.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

#include <map>

namespace oriel::test_driver {

// What nvcc's host code has registered: a fat binary, and the module that is made of it for each
// device, when first something of it is used there.
struct binary {
  const void* image = nullptr;
  std::map<int, CUmodule> of_device{};
};
// That of the thread's device.
CUresult module_of(binary&, CUmodule*);

// The runtime's name of a driver's result; a failure is the calling thread's last error.
cudaError_t noted(CUresult);
// Makes the device's context the calling thread's.
CUresult use_device(int);
// The same of device 0 where the thread has none yet.
CUresult use_any_device();

// Calls the driver with the thread's device in use.
template <class Call>
cudaError_t on_device(Call call) {
  const CUresult ready = use_any_device();
  return noted(ready == CUDA_SUCCESS ? call() : ready);
}

}  // namespace oriel::test_driver
