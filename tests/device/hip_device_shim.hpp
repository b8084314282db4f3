// What tests/drivers/hip_on_nvidia.hpp does for HIP 5's functions, for the part of its header that
// only compilers of device code see. Included before everything else.
#pragma once

#include "tests/drivers/hip_on_nvidia.hpp"

#if CUDART_VERSION >= 13000

template <class T, int Dimensions, cudaTextureReadMode Mode>
struct texture {};

ORIEL_DROPPED(cudaGraphAddDependencies)
ORIEL_DROPPED(cudaGraphRemoveDependencies)
ORIEL_DROPPED(cudaGraphGetEdges)
ORIEL_DROPPED(cudaGraphNodeGetDependencies)
ORIEL_DROPPED(cudaGraphNodeGetDependentNodes)
ORIEL_DROPPED(cudaStreamGetCaptureInfo_v2)

template <class... Any>
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t, cudaGraphNode_t*, size_t, Any...) {
  return cudaErrorNotSupported;
}

#endif
