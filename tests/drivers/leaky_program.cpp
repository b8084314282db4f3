// Allocates with the CUDA test driver; frees it unless the argument is "leaky". To test the judge
// of ledgers: by itself the program always succeeds.
#include <cuda.h>

#include <string_view>

int main(int argc, char** argv) {
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
      cuCtxPushCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&memory, 100) != CUDA_SUCCESS)
    return 0;
  if (argc < 2 || std::string_view(argv[1]) != "leaky") cuMemFree(memory);
  return 0;
}
