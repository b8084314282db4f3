#include "kinds/copy.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "kinds/classify.hpp"

namespace oriel::kinds {
namespace {

bool on_device(const std::optional<device_allocation>& place) noexcept {
  return place && place->where == residence::device;
}

// Neither vendor reaches the other's devices, so the bytes pass through the host, a piece at a
// time.
errc through_host(device_runtime& writer, std::byte* to, device_runtime& reader,
                  const std::byte* from, std::size_t bytes) noexcept {
  const std::size_t piece = std::min<std::size_t>(bytes, std::size_t{4} << 20);
  const std::unique_ptr<std::byte[]> between(new (std::nothrow) std::byte[piece]);
  if (between == nullptr) return errc::no_mem;
  while (bytes != 0) {
    const std::size_t n = std::min(bytes, piece);
    if (const errc e = reader.copy(between.get(), from, n); e != errc::success) return e;
    if (const errc e = writer.copy(to, between.get(), n); e != errc::success) return e;
    to += n;
    from += n;
    bytes -= n;
  }
  return errc::success;
}

}  // namespace

errc copy_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == 0) return errc::success;
  const auto sink = classify(to);
  const auto source = classify(from);
  if (!sink && !source) {
    std::memcpy(to, from, bytes);
    return errc::success;
  }
  if (on_device(sink) && on_device(source) && sink->whose != source->whose)
    return through_host(*runtime(sink->whose), static_cast<std::byte*>(to), *runtime(source->whose),
                        static_cast<const std::byte*>(from), bytes);
  // Where only one lies on a device, that vendor takes the other for memory of the host, as it is.
  const device_allocation& deciding = !sink || on_device(source) ? *source : *sink;
  return runtime(deciding.whose)->copy(to, from, bytes);
}

errc clear_bytes(void* memory, std::size_t bytes) noexcept {
  if (bytes == 0) return errc::success;
  const auto found = classify(memory);
  if (on_device(found)) return runtime(found->whose)->clear(memory, bytes);
  std::memset(memory, 0, bytes);
  return errc::success;
}

}  // namespace oriel::kinds
