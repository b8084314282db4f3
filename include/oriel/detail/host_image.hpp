// The host's image of a buffer: the buffer itself where the host reaches it, and a copy of what
// lies in memory of a device.
#pragma once

#include <cstddef>
#include <memory>

#include "oriel/errc.hpp"

namespace oriel::detail {

// Whether `p` points into memory of a device, which the host can neither load nor store. One load
// and a comparison where no vendor's runtime is in use.
bool in_device_memory(const void* p) noexcept;

// Zeroes memory of any kind; a device's is zeroed by the device. Complete on return. Returns system
// where the vendor's call fails.
errc clear_bytes(void* memory, std::size_t bytes) noexcept;

class host_image {
 public:
  // The image has the buffer's bytes, or else `failed` says why not.
  host_image(void* buffer, std::size_t bytes) noexcept;
  [[nodiscard]] errc failed() const noexcept { return failed_; }
  [[nodiscard]] void* data() const noexcept { return copy_ == nullptr ? buffer_ : copy_.get(); }
  // The buffer gets the image's bytes.
  errc deliver() noexcept;

 private:
  void* buffer_;
  std::size_t bytes_;
  std::unique_ptr<std::byte[]> copy_;
  errc failed_ = errc::success;
};

}  // namespace oriel::detail
