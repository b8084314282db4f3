#include "session/node/moved_mappings.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "session/node/page_sizes.hpp"
#include "sync/system.hpp"

namespace oriel::sessions::moved_mappings {
namespace {

struct known_source {
  std::atomic<std::uint64_t> inode{0};  // 0: none
  std::atomic<dev_t> device{0};
  std::atomic<std::uint64_t> begin{0};
  std::atomic<std::uint64_t> end{0};

  [[nodiscard]] bool moved(const mapping& m) const noexcept {
    return inode != 0 && m.inode == inode && m.device == device && (m.begin < begin || m.end > end);
  }
};
constinit std::array<known_source, 64> sources;
constinit sync::mutex changing;

// Allocators take pages that they have freed out of use first.
bool clear(const mapping& m, std::uint64_t from, std::uint64_t to) noexcept {
  const int now = (m.readable ? PROT_READ : 0) | (m.executable ? PROT_EXEC : 0);
  if (!m.writable && mprotect(at_address(from), to - from, now | PROT_WRITE) != 0) return false;
  std::memset(at_address(from), 0, to - from);
  return m.writable || mprotect(at_address(from), to - from, now) == 0;
}

}  // namespace

bool add(const source& s) noexcept {
  const std::lock_guard hold(changing);
  for (known_source& one : sources) {
    if (one.inode != 0) continue;
    one.begin = reinterpret_cast<std::uintptr_t>(s.mapped);
    one.end = one.begin + s.bytes;
    one.device = s.device;
    one.inode = s.inode;
    return true;
  }
  return false;
}

void forget_own_mapping(const source& s) noexcept {
  const std::lock_guard hold(changing);
  for (known_source& one : sources)
    if (one.inode == s.inode && one.device == s.device) one.begin = one.end = 0;
}

bool any() noexcept {
  return sources[0].inode != 0;
}

bool contains(const mapping& m) noexcept {
  if (!m.shared || m.inode == 0) return false;
  for (const known_source& s : sources)
    if (s.moved(m)) return true;
  return false;
}

int drop(void* place, std::size_t bytes, advise* advise_rest) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(place);
  const std::uint64_t end = round_up(begin + bytes, page);
  bool cleared = true;
  const bool read =
      begin % page != 0 ||  // which is refused
      for_each_mapping(begin, end, [&](const mapping& m) {
        if (contains(m))
          cleared =
              clear(m, std::max<std::uint64_t>(m.begin, begin), std::min(m.end, end)) && cleared;
        return true;
      });
  if (!read) {
    errno = EAGAIN;
    return -1;
  }
  const int outcome = advise_rest(place, bytes, MADV_DONTNEED);
  return cleared ? outcome : -1;
}

bool overlap(const void* place, std::size_t bytes) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(place);
  bool found = false;
  const bool read = for_each_mapping(begin, begin + bytes, [&](const mapping& m) {
    found = contains(m);
    return !found;
  });
  return found || !read;
}

}  // namespace oriel::sessions::moved_mappings
