#include "session/node/private_copies.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "session/node/address_map.hpp"
#include "session/node/moved_mappings.hpp"

namespace oriel::sessions::private_copies {
namespace {

constinit sync::mutex moving_or_forking;
// A pipe on which a child says that its copies are made.
constinit std::array<int, 2> ends{-1, -1};

void close_end(int i) noexcept {
  if (ends[static_cast<std::size_t>(i)] >= 0) close(ends[static_cast<std::size_t>(i)]);
  ends[static_cast<std::size_t>(i)] = -1;
}

void before_fork() noexcept {
  moving_or_forking.lock();
  if (pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
}

void in_parent() noexcept {
  close_end(1);
  char made = 0;
  // The end of the file: there is no child, or it has died.
  while (ends[0] >= 0 && read(ends[0], &made, 1) < 0 && errno == EINTR) {
  }
  close_end(0);
  moving_or_forking.unlock();
}

// A child without copies would write to its parent's memory.
[[noreturn]] void end_child() noexcept {
  constexpr char text[] =
      "oriel: a child of fork ends: memory that its parent has moved into the node's "
      "(oriel_move_private) cannot "
      "be copied for it\n";
  static_cast<void>(!write(STDERR_FILENO, text, sizeof text - 1));
  _exit(127);
}

// The system call: mremap may be one that refuses moved pages (mpi/allocator_calls.cpp).
void* remap(void* from, std::size_t old_bytes, std::size_t bytes, int flags,
            void* to = nullptr) noexcept {
  return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr): what the kernel returns
      syscall(SYS_mremap, from, old_bytes, bytes, flags, to));
}

// Read by another mapping of the pages (an old size of 0): a sanitizer would object to the heap's
// own book-keeping between what is allocated.
void copy(const mapping& m) noexcept {
  const std::size_t bytes = m.end - m.begin;
  std::byte* const place = at_address(m.begin);
  void* const made =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* const again = remap(place, 0, bytes, MREMAP_MAYMOVE);
  if (made == MAP_FAILED || again == MAP_FAILED) end_child();
  std::memcpy(made, again, bytes);
  if (remap(made, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, place) == MAP_FAILED) end_child();
  munmap(again, bytes);
}

void in_child() noexcept {
  if (!moved_mappings::any()) {
    close_end(0);
    close_end(1);
    return moving_or_forking.unlock();
  }
  if (ends[0] < 0) end_child();
  close_end(0);
  std::array<mapping, 64> found;
  std::uint64_t from = 0;
  for (std::size_t n = found.size(); n == found.size();) {
    n = 0;
    const bool read = for_each_mapping(from, ~std::uint64_t{0}, [&](const mapping& m) {
      if (moved_mappings::contains(m)) found[n++] = m;
      return n < found.size();
    });
    if (!read) end_child();

    for (std::size_t i = 0; i < n; ++i) copy(found[i]);
    if (n != 0) from = found[n - 1].end;
  }
  const char made = 1;
  if (ends[1] >= 0) static_cast<void>(!write(ends[1], &made, 1));
  close_end(1);
  moving_or_forking.unlock();
}

}  // namespace

sync::mutex& exclusion() noexcept {
  return moving_or_forking;
}

bool begin() noexcept {
  static const bool begun = pthread_atfork(before_fork, in_parent, in_child) == 0;
  return begun;
}

}  // namespace oriel::sessions::private_copies
