// Lets HIP 5's header for NVIDIA compile with CUDA 13: included before everything else. It gives
// back, under their old names and signatures, what the header's wrappers call and CUDA has dropped.
// None of it is reached by the kind `rocm`: whatever cannot be mapped reports that it is not
// supported.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000

inline cudaMemLocation oriel_location(int device) {
  cudaMemLocation location{};
  location.type = device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  location.id = device < 0 ? 0 : device;
  return location;
}

inline cudaError_t cudaMemAdvise(const void* memory, size_t bytes, cudaMemoryAdvise advice,
                                 int device) {
  return cudaMemAdvise(memory, bytes, advice, oriel_location(device));
}

inline cudaError_t cudaMemPrefetchAsync(const void* memory, size_t bytes, int device,
                                        cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, oriel_location(device), 0, stream);
}

inline CUresult cuCtxCreate_v4(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}

// A function of these names that takes anything.
#define ORIEL_DROPPED(name)       \
  template <class... Any>         \
  cudaError_t name(Any...) {      \
    return cudaErrorNotSupported; \
  }
ORIEL_DROPPED(cudaBindTexture)
ORIEL_DROPPED(cudaBindTexture2D)
ORIEL_DROPPED(cudaGetTextureAlignmentOffset)
ORIEL_DROPPED(cudaLaunchCooperativeKernelMultiDevice)

// The fields that are attributes now.
struct oriel_device_properties : cudaDeviceProp {
  int clockRate;
  int computeMode;
  int memoryClockRate;
  int cooperativeMultiDeviceLaunch;
  int kernelExecTimeoutEnabled;
};
#define cudaDeviceProp oriel_device_properties
#define cudaDevAttrCooperativeMultiDeviceLaunch static_cast<cudaDeviceAttr>(96)

#endif
