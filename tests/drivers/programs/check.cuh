// What the programs of this folder print: they are written as users of CUDA write theirs, with
// nothing of oriel, and run unchanged on the test driver.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t outcome = (call);                                    \
    if (outcome != cudaSuccess) {                                          \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(outcome)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

#define REQUIRE(condition)                                \
  do {                                                    \
    if (!(condition)) {                                   \
      std::printf("line %d: %s\n", __LINE__, #condition); \
      std::exit(1);                                       \
    }                                                     \
  } while (0)
