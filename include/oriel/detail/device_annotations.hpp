// Lets one function serve the host and kernels: what compilers of device code want to read before
// it is empty for every other compiler.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define ORIEL_HOST_DEVICE __host__ __device__
#else
#define ORIEL_HOST_DEVICE
#endif
