// One device of CUDA as this process uses it: its primary context, the stream that carries copies
// and kernels, what is under way on it.
//
// The stream is non-blocking. CUDA's synchronous copies would run in the program's default stream
// instead, behind its kernels; a kernel there that waits for what a copy brings would wait for
// ever. They are not complete on return in every direction either.
//
// Any thread. REQUIRES: the library outlives the object. Nothing is given back to the driver at the
// end of the process: it may be gone by then, and takes everything back itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kinds/cuda/library.hpp"

namespace oriel::kinds {

class cuda_device {
 public:
  // The call that failed last in this thread, and what it answered.
  struct failure {
    const char* call = nullptr;
    CUresult result = CUDA_SUCCESS;
  };
  static failure& last_failure() noexcept;
  // Remembers a failure; true for success.
  static bool succeeded(const char* call, CUresult) noexcept;

  void number(const cuda_library& library, CUdevice handle) noexcept;

  // Makes context and stream when they are not there yet.
  bool ready() noexcept;
  [[nodiscard]] bool used() const noexcept { return made_.load(std::memory_order_acquire); }
  // REQUIRES for everything below: ready() was true.
  [[nodiscard]] CUcontext context() const noexcept { return context_; }
  [[nodiscard]] CUstream stream() const noexcept { return stream_; }
  [[nodiscard]] CUdevice handle() const noexcept { return handle_; }

  // The context is the thread's already. Begun, not complete.
  bool begin_copy(void* to, const void* from, std::size_t bytes) noexcept;
  // Tells that copies are left under way for `drain`.
  void leave() noexcept { left_.fetch_add(1, std::memory_order_acq_rel); }
  // Waits for everything on the stream. The context is the thread's already.
  bool wait() noexcept;
  // Waits for what was left, by any thread; costs two loads when nothing was.
  bool drain() noexcept;

 private:
  const cuda_library* library_ = nullptr;
  CUdevice handle_ = 0;
  std::mutex making_;
  std::atomic<bool> made_{false};
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  // Counts, not a flag: a flag that one thread takes away would hide from another that it must
  // wait.
  std::atomic<std::uint64_t> left_{0};
  std::atomic<std::uint64_t> complete_{0};
};

}  // namespace oriel::kinds
