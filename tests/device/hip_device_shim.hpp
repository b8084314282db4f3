// What tests/drivers/hip_on_nvidia.hpp does for HIP 5's functions, for the part of its header that
// only compilers of device code see. Included before everything else.
#pragma once

#include "tests/drivers/hip_on_nvidia.hpp"

#if CUDART_VERSION >= 13000

template <class T, int Dimensions, cudaTextureReadMode Mode>
struct texture {};

template <class... Any>
cudaError_t cudaGraphAddDependencies(Any...) {
  return cudaErrorNotSupported;
}

template <class... Any>
cudaError_t cudaGraphRemoveDependencies(Any...) {
  return cudaErrorNotSupported;
}

template <class... Any>
cudaError_t cudaGraphGetEdges(Any...) {
  return cudaErrorNotSupported;
}

template <class... Any>
cudaError_t cudaGraphNodeGetDependencies(Any...) {
  return cudaErrorNotSupported;
}

template <class... Any>
cudaError_t cudaGraphNodeGetDependentNodes(Any...) {
  return cudaErrorNotSupported;
}

template <class... Any>
cudaError_t cudaStreamGetCaptureInfo_v2(Any...) {
  return cudaErrorNotSupported;
}

template <class... Any>
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t*, size_t, Any...) {
  return cudaErrorNotSupported;
}

#endif
