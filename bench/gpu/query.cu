// Which GPU is here: "90 NVIDIA H200, CUDA 13.0 under a driver for 13.0". Where there is none, the
// reason, and exit status 3.
#include <cuda_runtime.h>

#include <cstdio>

int main() {
  int devices = 0, driver = 0, runtime = 0;
  const cudaError_t counted = cudaGetDeviceCount(&devices);
  if (counted != cudaSuccess || devices == 0) {
    std::printf("%s\n", counted != cudaSuccess ? cudaGetErrorString(counted) : "no device");
    return 3;
  }
  cudaDeviceProp about;
  const cudaError_t told = cudaGetDeviceProperties(&about, 0);
  if (told != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(told));
    return 3;
  }
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  std::printf("%d%d %s, CUDA %d.%d under a driver for %d.%d\n", about.major, about.minor,
              about.name, runtime / 1000, runtime % 1000 / 10, driver / 1000, driver % 1000 / 10);
  return 0;
}
