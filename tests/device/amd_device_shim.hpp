// What hip/hip_runtime.h gives to device code for AMD's devices, as far as oriel's headers use it,
// so that a Clang without ROCm can compile them. Included before everything else.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

struct three_numbers {
  unsigned x, y, z;
};
extern __device__ const three_numbers threadIdx, blockDim;
extern __device__ const int warpSize;
__device__ void __syncthreads();
