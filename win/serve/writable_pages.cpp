#include "win/serve/writable_pages.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "session/node/address_map.hpp"
#include "session/node/page_sizes.hpp"

namespace oriel::win {
namespace {

// The kernel makes the page ready to be written, which changes nothing in it; before Linux 5.14,
// and for memory of devices, it does not, and its list of mappings tells. The system call itself:
// programs' allocators may define `madvise`.
bool may_be_written(std::uint64_t begin) noexcept {
  if (syscall(SYS_madvise, begin, sessions::page, MADV_POPULATE_WRITE) == 0) return true;
  if (errno != EINVAL) return false;
  bool writable = false;
  sessions::for_each_mapping(begin, begin + sessions::page,
                             [&writable](const sessions::mapping& m) {
                               writable = m.writable;
                               return false;
                             });
  return writable;
}

}  // namespace

bool writable_pages::contain(const std::byte* at, std::size_t bytes) noexcept {
  if (bytes == 0) return true;
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  const std::uint64_t last = (begin + bytes - 1) / sessions::page;
  for (std::uint64_t n = begin / sessions::page; n <= last; ++n) {
    std::atomic<std::uint64_t>& known = known_[n % known_.size()];
    if (known.load(std::memory_order_relaxed) == n) continue;
    if (!may_be_written(n * sessions::page)) return false;
    known.store(n, std::memory_order_relaxed);
  }
  return true;
}

bool writable_pages::contain(const std::byte* at, std::ptrdiff_t stride, std::size_t bytes,
                             std::size_t blocks) noexcept {
  if (blocks == 0) return true;
  const auto to_last = static_cast<std::ptrdiff_t>(blocks - 1) * stride;
  constexpr auto page = static_cast<std::ptrdiff_t>(sessions::page);
  // No page lies between two blocks.
  if (stride >= -page && stride <= page)
    return contain(to_last < 0 ? at + to_last : at,
                   static_cast<std::size_t>(to_last < 0 ? -to_last : to_last) + bytes);
  for (std::size_t b = 0; b < blocks; ++b)
    if (!contain(at + static_cast<std::ptrdiff_t>(b) * stride, bytes)) return false;
  return true;
}

}  // namespace oriel::win
