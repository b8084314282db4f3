// One device as this process uses it: its context, the streams that carry copies and kernels, what
// is under way on them. Copies to the device and from it do not wait for each other, and none waits
// for a kernel, which may have to wait for room.
//
// The streams do not wait for the program's own. Synchronous copies of CUDA and HIP would run in
// the program's default stream instead, behind its kernels: a kernel there that waits for what a
// copy brings would wait for ever. In some directions they also return before they are complete.
//
// Any thread. REQUIRES: `Api` outlives the object. Nothing is given back to the driver at the end
// of the process: it may be gone by then, and takes everything back itself.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "kinds/time_limit.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {

// Of a copy: copies to a device's memory are in order, from whichever memory.
enum class direction : std::uint8_t { in, out };

// `Api` is described in kinds/gpu/gpu_runtime.hpp.
template <class Api>
class gpu_device {
 public:
  // Before any other call: the device is the one of that number.
  void number(const Api& api, int ordinal) noexcept {
    api_ = &api;
    ordinal_ = ordinal;
  }

  // Makes context and stream when they are not there yet.
  bool ready() noexcept;
  [[nodiscard]] bool used() const noexcept { return made_.load(std::memory_order_acquire); }

  // REQUIRES for everything below: ready() was true.
  [[nodiscard]] typename Api::context context() const noexcept { return context_; }
  [[nodiscard]] typename Api::stream kernels() const noexcept { return kernels_; }

  // The context is the thread's already. Begun, not complete.
  bool begin_copy(direction way, void* to, const void* from, std::size_t bytes) noexcept {
    return api_->copy(to, from, bytes, of(way).stream);
  }
  bool begin_clear(void* memory, std::size_t bytes) noexcept {
    return api_->clear(memory, bytes, of(direction::in).stream);
  }
  // Counts copies as left under way, for `drain`.
  void leave(direction way) noexcept { of(way).left.fetch_add(1, std::memory_order_acq_rel); }
  // Waits for all copies that way. The context is the thread's already.
  bool wait(direction way) noexcept { return api_->wait(of(way).stream); }
  // Waits for all kernels; likewise. Returns timed_out or system when they have not ended.
  errc wait_for_kernels(const time_limit&) noexcept;
  // Waits for what was left, by any thread; costs two loads a direction when nothing was.
  bool drain() noexcept {
    const bool in = drain(direction::in);
    return drain(direction::out) && in;
  }

 private:
  struct copies {
    typename Api::stream stream{};
    // Counts, not a flag: a flag that one thread takes away would hide from another that it must
    // wait.
    std::atomic<std::uint64_t> left{0};
    std::atomic<std::uint64_t> complete{0};
  };
  [[nodiscard]] copies& of(direction way) noexcept {
    return copies_[static_cast<std::size_t>(way)];
  }
  bool drain(direction way) noexcept;

  const Api* api_ = nullptr;
  int ordinal_ = 0;
  std::mutex making_;
  bool has_context_ = false;
  std::atomic<bool> made_{false};
  typename Api::context context_{};
  std::array<copies, 2> copies_;
  typename Api::stream kernels_{};
};

template <class Api>
bool gpu_device<Api>::ready() noexcept {
  if (used()) return true;
  const std::lock_guard hold(making_);
  if (used()) return true;
  has_context_ = has_context_ || api_->make_context(ordinal_, &context_);
  if (!has_context_) return false;
  const typename Api::current current(*api_, context_);
  if (!current.ok() || !api_->make_stream(&of(direction::in).stream) ||
      !api_->make_stream(&of(direction::out).stream) || !api_->make_stream(&kernels_))
    return false;
  made_.store(true, std::memory_order_release);
  return true;
}

template <class Api>
errc gpu_device<Api>::wait_for_kernels(const time_limit& limit) noexcept {
  if (!limit.is_set()) return api_->wait(kernels_) ? errc::success : errc::system;
  for (bool done = false;; limit.pause()) {
    if (!api_->is_done(kernels_, done)) return errc::system;
    if (done) return errc::success;
    if (limit.passed()) return errc::timed_out;
  }
}

template <class Api>
bool gpu_device<Api>::drain(direction way) noexcept {
  copies& those = of(way);
  const std::uint64_t left = those.left.load(std::memory_order_acquire);
  std::uint64_t complete = those.complete.load(std::memory_order_acquire);
  if (complete >= left) return true;
  const typename Api::current current(*api_, context_);
  if (!current.ok() || !wait(way)) return false;
  while (complete < left &&
         !those.complete.compare_exchange_weak(complete, left, std::memory_order_acq_rel)) {
  }
  return true;
}

}  // namespace oriel::kinds
