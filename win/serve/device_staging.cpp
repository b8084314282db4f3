#include "win/serve/device_staging.hpp"

#include <cstring>

namespace oriel::win {

device_staging::device_staging(kinds::device_runtime& runtime, int device)
    : runtime_(runtime),
      memory_(
          runtime.allocate(device, kinds::residence::host, slots * transport::longest_ordered)) {}

device_staging::~device_staging() {
  if (used_ != 0) runtime_.drain();
  runtime_.free(memory_);
}

errc device_staging::put(const transport::message_head& asked, std::byte* location,
                         std::span<const std::byte> payload) noexcept {
  std::memcpy(slot(used_), payload.data(), payload.size());
  const kinds::copy_piece piece{location, slot(used_), payload.size()};
  const errc e = runtime_.begin({&piece, 1});
  if (e == errc::success) pending_[used_++] = {asked, 0};
  return e;
}

errc device_staging::get(const transport::message_head& asked, const std::byte* location,
                         std::size_t bytes) noexcept {
  const kinds::copy_piece piece{slot(used_), location, bytes};
  const errc e = runtime_.begin({&piece, 1});
  if (e == errc::success) pending_[used_++] = {asked, bytes};
  return e;
}

}  // namespace oriel::win
