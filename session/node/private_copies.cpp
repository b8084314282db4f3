#include "session/node/private_copies.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "session/node/address_map.hpp"

namespace oriel::sessions::private_copies {
namespace {

// Read in children, where no lock may be taken.
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
constinit std::mutex changing;
bool handlers_are_set = false;

bool is_moved(const mapping& m) noexcept {
  if (!m.shared || m.inode == 0) return false;
  for (const known_source& s : sources)
    if (s.moved(m)) return true;
  return false;
}

// A pipe on which a child says that its copies are made. One fork at a time has it.
constinit std::atomic<bool> forking{false};
constinit std::array<int, 2> ends{-1, -1};

void close_end(int i) noexcept {
  if (ends[static_cast<std::size_t>(i)] >= 0) close(ends[static_cast<std::size_t>(i)]);
  ends[static_cast<std::size_t>(i)] = -1;
}

void before_fork() noexcept {
  while (forking.exchange(true, std::memory_order_acquire)) usleep(100);
  if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
}

void in_parent() noexcept {
  close_end(1);
  char made = 0;
  // The end of the file: there is no child, or it has died.
  while (ends[0] >= 0 && read(ends[0], &made, 1) < 0 && errno == EINTR) {
  }
  close_end(0);
  forking.store(false, std::memory_order_release);
}

// Read by another mapping of the pages (an old size of 0): a sanitizer would object to the heap's
// own book-keeping between what is allocated.
void copy(const mapping& m) noexcept {
  const std::size_t bytes = m.end - m.begin;
  std::byte* const place = at_address(m.begin);
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* const again = mremap(place, 0, bytes, MREMAP_MAYMOVE);
  if (made == MAP_FAILED || again == MAP_FAILED) return;
  std::memcpy(made, again, bytes);
  mremap(made, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  munmap(again, bytes);
}

void in_child() noexcept {
  close_end(0);
  std::array<mapping, 64> found;
  std::uint64_t from = 0;
  for (std::size_t n = found.size(); n == found.size();) {
    n = 0;
    for_each_mapping(from, ~std::uint64_t{0}, [&](const mapping& m) {
      if (is_moved(m)) found[n++] = m;
      return n < found.size();
    });

    for (std::size_t i = 0; i < n; ++i) copy(found[i]);
    if (n != 0) from = found[n - 1].end;
  }
  const char made = 1;
  if (ends[1] >= 0) static_cast<void>(!write(ends[1], &made, 1));
  close_end(1);
  forking.store(false, std::memory_order_release);
}

}  // namespace

bool begin(const source& s) noexcept {
  const std::lock_guard hold(changing);
  for (known_source& one : sources) {
    if (one.inode != 0) continue;
    if (!handlers_are_set && pthread_atfork(before_fork, in_parent, in_child) != 0) return false;
    handlers_are_set = true;
    one.begin = reinterpret_cast<std::uintptr_t>(s.mapped);
    one.end = one.begin + s.bytes;
    one.device = s.device;
    one.inode = s.inode;
    return true;
  }
  return false;
}

void end(const source& s) noexcept {
  const std::lock_guard hold(changing);
  for (known_source& one : sources)
    if (one.inode == s.inode && one.device == s.device) one.begin = one.end = 0;
}

}  // namespace oriel::sessions::private_copies
