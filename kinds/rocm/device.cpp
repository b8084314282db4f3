#include "kinds/rocm/device.hpp"

namespace oriel::kinds {

on_device::on_device(const rocm_library& library, int device) noexcept : library_(library) {
  int now = 0;
  if (library_.failed("hipGetDevice", library_.get_device(&now))) return;
  ok_ = now == device || !library_.failed("hipSetDevice", library_.set_device(device));
  if (ok_ && now != device) before_ = now;
}

on_device::~on_device() {
  if (before_ >= 0) library_.failed("hipSetDevice", library_.set_device(before_));
}

hipStream_t rocm_device::stream() noexcept {
  std::call_once(stream_made_, [this] {
    const on_device current{library_, number_};
    if (library_.failed("hipStreamCreateWithFlags",
                        library_.create_stream(&stream_, hipStreamNonBlocking)))
      stream_ = nullptr;  // the default stream: it waits for the program's, and is as correct
  });
  return stream_;
}

errc rocm_device::copy(void* to, const void* from, std::size_t bytes) noexcept {
  hipStream_t s = stream();
  if (library_.failed("hipMemcpyAsync",
                      library_.copy_async(to, from, bytes, hipMemcpyDefault, s)) ||
      library_.failed("hipStreamSynchronize", library_.synchronize_stream(s)))
    return errc::system;
  return errc::success;
}

errc rocm_device::begin(void* to, const void* from, std::size_t bytes) noexcept {
  if (library_.failed("hipMemcpyAsync",
                      library_.copy_async(to, from, bytes, hipMemcpyDefault, stream())))
    return errc::system;
  begun_.fetch_add(1, std::memory_order_release);
  return errc::success;
}

errc rocm_device::drain() noexcept {
  const std::uint64_t wanted = begun_.load(std::memory_order_acquire);
  std::uint64_t complete = complete_.load(std::memory_order_acquire);
  if (complete >= wanted) return errc::success;
  const bool failed =
      library_.failed("hipStreamSynchronize", library_.synchronize_stream(stream()));
  while (complete < wanted && !complete_.compare_exchange_weak(complete, wanted)) {
  }
  return failed ? errc::system : errc::success;
}

// Whether the machine lets memory be exported shows only when it is tried: HIP has no attribute.
// Where there is no memory to try it with, nothing has been learnt.
std::string rocm_device::lacks_ipc() {
  const std::lock_guard hold(ipc_trial_);
  if (lacks_ipc_) return *lacks_ipc_;
  const on_device current{library_, number_};
  void* trial = nullptr;
  if (!current.ok() ||
      library_.failed("hipMalloc", library_.allocate_device(&trial, rocm_granularity)))
    return library_.last_failure();
  hipIpcMemHandle_t handle{};
  const bool refused = library_.failed("hipIpcGetMemHandle", library_.ipc_export(&handle, trial));
  lacks_ipc_ = refused ? library_.last_failure() : std::string();
  library_.failed("hipFree", library_.free_device(trial));
  return *lacks_ipc_;
}

std::string rocm_device::reach(int other) {
  const std::uint64_t bit = std::uint64_t{1} << (other % 64);
  if (other == number_ || (reached_.load(std::memory_order_relaxed) & bit) != 0) return {};
  int can = 0;
  if (library_.failed("hipDeviceCanAccessPeer", library_.can_access_peer(&can, number_, other)))
    return library_.last_failure();
  if (can == 0)
    return "device " + std::to_string(number_) + " cannot reach memory of device " +
           std::to_string(other);
  const on_device current{library_, number_};
  if (!current.ok()) return library_.last_failure();
  const hipError_t enabled = library_.enable_peer_access(other, 0);
  if (library_.failed("hipDeviceEnablePeerAccess", enabled) &&
      enabled != hipErrorPeerAccessAlreadyEnabled)
    return library_.last_failure();
  reached_.fetch_or(bit, std::memory_order_relaxed);
  return {};
}

}  // namespace oriel::kinds
