// The stand-in for CUDA's runtime: streams and events.
#include "tests/drivers/cuda_runtime.hpp"

using namespace oriel::test_driver;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return on_device([&] { return cuStreamCreate(stream, flags); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return on_device([&] { return cuStreamSynchronize(stream); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return on_device([&] { return cuStreamQuery(stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return on_device([&] { return cuStreamWaitEvent(stream, event, flags); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return on_device([&] { return cuStreamDestroy(stream); });
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  return on_device([&] { return cuLaunchHostFunc(stream, function, argument); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return on_device([&] { return cuEventCreate(event, flags); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return on_device([&] { return cuEventRecord(event, stream); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return on_device([&] { return cuEventQuery(event); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return on_device([&] { return cuEventSynchronize(event); });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return on_device([&] { return cuEventElapsedTime(milliseconds, begin, end); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return on_device([&] { return cuEventDestroy(event); });
}

}  // extern "C"
