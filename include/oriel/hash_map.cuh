// The hash map (hash_map.hpp) for kernels: hash_map_ref, whose operations work on one element each;
// and, where the compiler is one of device code, bulk operations that the host launches.
#pragma once

#include "oriel/hash_map/ref.cuh"

#if defined(__CUDACC__) || defined(__HIP__)
#include "oriel/hash_map/kernels.cuh"
#endif
