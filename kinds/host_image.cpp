#include "oriel/detail/host_image.hpp"

#include <new>

#include "kinds/classify.hpp"
#include "kinds/copy.hpp"

namespace oriel::detail {

bool in_device_memory(const void* p) noexcept {
  if (p == nullptr) return false;
  const auto found = kinds::classify(p);
  return found && found->where == kinds::residence::device;
}

errc clear_bytes(void* memory, std::size_t bytes) noexcept {
  return kinds::clear_bytes(memory, bytes);
}

host_image::host_image(void* buffer, std::size_t bytes) noexcept : buffer_(buffer), bytes_(bytes) {
  if (!in_device_memory(buffer)) return;
  copy_.reset(new (std::nothrow) std::byte[bytes]);
  failed_ = copy_ == nullptr ? errc::no_mem : kinds::copy_bytes(copy_.get(), buffer, bytes);
}

errc host_image::deliver() noexcept {
  return copy_ == nullptr ? errc::success : kinds::copy_bytes(buffer_, copy_.get(), bytes_);
}

}  // namespace oriel::detail
