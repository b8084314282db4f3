// The CUDA test driver's default stream waits for streams that other threads make and destroy
// meanwhile.
#include <cuda.h>

#include <atomic>
#include <thread>

namespace {

void make_and_destroy(CUcontext context, const std::atomic<bool>& ended) {
  cuCtxPushCurrent(context);
  while (!ended) {
    CUstream stream = nullptr;
    cuStreamCreate(&stream, CU_STREAM_DEFAULT);
    cuStreamDestroy(stream);
  }
}

}  // namespace

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr memory = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
      cuCtxPushCurrent(context) != CUDA_SUCCESS || cuMemAlloc(&memory, 64) != CUDA_SUCCESS)
    return 1;
  std::atomic<bool> ended{false};
  std::thread others([&] { make_and_destroy(context, ended); });
  int wrong = 0;
  for (int i = 0; i < 20'000; ++i) {
    if (cuMemsetD8Async(memory, 0, 64, nullptr) != CUDA_SUCCESS) ++wrong;
    if (i % 64 == 0 && cuStreamSynchronize(nullptr) != CUDA_SUCCESS) ++wrong;
  }
  ended = true;
  others.join();
  cuMemFree(memory);
  return wrong == 0 ? 0 : 1;
}
