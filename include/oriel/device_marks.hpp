// The mark of a function that kernels may call. Compilers of device code want it on the declaration
// and others do not know it, which only a macro can bridge.
//
// ORIEL_DEVICE_CUDA, ORIEL_DEVICE_HIP: the code that is being compiled runs on such a device. HIP
// on its NVIDIA platform is CUDA. With neither defined it runs on the host, whichever compiler it
// is.
#pragma once

#if defined(__CUDACC__) || defined(__HIP__)
#define ORIEL_DEVICE __host__ __device__
#else
#define ORIEL_DEVICE
#endif

#if defined(__CUDA_ARCH__)
#define ORIEL_DEVICE_CUDA 1
#elif defined(__HIP_DEVICE_COMPILE__)
#define ORIEL_DEVICE_HIP 1
#endif
