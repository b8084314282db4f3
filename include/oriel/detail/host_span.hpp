// Work of the host on spans that may lie in memory of a device.
#pragma once

#include <span>
#include <type_traits>

#include "oriel/detail/host_image.hpp"
#include "oriel/hash_map/options.hpp"

namespace oriel::detail {

// A span's elements where the host reaches them.
template <class T>
class host_span {
 public:
  explicit host_span(std::span<T> s) noexcept
      : image_(const_cast<std::remove_const_t<T>*>(s.data()), s.size_bytes()), size_(s.size()) {}
  [[nodiscard]] errc failed() const noexcept { return image_.failed(); }
  [[nodiscard]] std::span<T> get() const noexcept {
    return {static_cast<T*>(image_.data()), size_};
  }
  errc deliver() noexcept { return std::is_const_v<T> ? errc::success : image_.deliver(); }

 private:
  host_image image_;
  std::size_t size_;
};

template <class Work, class... T>
bulk_result on_images(Work& work, host_span<T>... images) noexcept {
  errc failed = errc::success;
  const auto keep = [&failed](errc e) {
    if (failed == errc::success) failed = e;
  };
  (keep(images.failed()), ...);
  if (failed != errc::success) return {0, failed};
  bulk_result result = work(images.get()...);
  (keep(images.deliver()), ...);
  if (result.outcome.ok()) result.outcome = failed;
  return result;
}

// work(spans…), with what lies in memory of a device copied to the host's before, and back after.
// Fails with no_mem or system when that does.
template <class Work, class... T>
bulk_result on_host(Work work, std::span<T>... spans) noexcept {
  if (!(in_device_memory(spans.data()) || ...)) [[likely]]
    return work(spans...);
  return on_images(work, host_span<T>(spans)...);
}

}  // namespace oriel::detail
