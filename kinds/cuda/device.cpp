#include "kinds/cuda/device.hpp"

namespace oriel::kinds {

cuda_device::failure& cuda_device::last_failure() noexcept {
  thread_local failure last;
  return last;
}

bool cuda_device::succeeded(const char* call, CUresult result) noexcept {
  if (result == CUDA_SUCCESS) return true;
  last_failure() = {call, result};
  return false;
}

void cuda_device::number(const cuda_library& library, CUdevice handle) noexcept {
  library_ = &library;
  handle_ = handle;
}

bool cuda_device::ready() noexcept {
  if (used()) return true;
  const std::lock_guard hold(making_);
  if (used()) return true;
  if (context_ == nullptr && !succeeded("cuDevicePrimaryCtxRetain",
                                        library_->primary_context_retain(&context_, handle_))) {
    context_ = nullptr;
    return false;
  }
  const cuda_context_guard current(*library_, context_);
  if (!succeeded("cuStreamCreate", library_->stream_create(&stream_, CU_STREAM_NON_BLOCKING)))
    return false;
  made_.store(true, std::memory_order_release);
  return true;
}

bool cuda_device::begin_copy(void* to, const void* from, std::size_t bytes) noexcept {
  return succeeded("cuMemcpyAsync",
                   library_->copy_async(reinterpret_cast<CUdeviceptr>(to),
                                        reinterpret_cast<CUdeviceptr>(from), bytes, stream_));
}

bool cuda_device::wait() noexcept {
  return succeeded("cuStreamSynchronize", library_->stream_synchronize(stream_));
}

bool cuda_device::drain() noexcept {
  const std::uint64_t left = left_.load(std::memory_order_acquire);
  std::uint64_t complete = complete_.load(std::memory_order_acquire);
  if (complete >= left) return true;
  const cuda_context_guard current(*library_, context_);
  if (!wait()) return false;
  while (complete < left &&
         !complete_.compare_exchange_weak(complete, left, std::memory_order_acq_rel)) {
  }
  return true;
}

}  // namespace oriel::kinds
