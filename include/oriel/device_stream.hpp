// A vendor's stream, as operations in its order take it (oriel/stream_operations.hpp).
#pragma once

namespace oriel {

// A cudaStream_t, CUstream or hipStream_t converts to it; null is the default stream of the
// window's device. Oriel makes no stream, waits for none and destroys none.
class device_stream {
 public:
  constexpr device_stream(void* handle) noexcept : handle_(handle) {}  // NOLINT: converts
  [[nodiscard]] constexpr void* handle() const noexcept { return handle_; }

 private:
  void* handle_;
};

}  // namespace oriel
