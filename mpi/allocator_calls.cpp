// madvise and mremap, which on memory that a session has moved into the node's do not do by
// themselves what programs count on (session/node/moved_mappings.hpp). Allocators other than
// glibc's give pages back by MADV_DONTNEED and expect zeros; and what grows by mremap would get the
// neighbouring pages of the node's memory.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "mpi/host.hpp"
#include "session/node/moved_mappings.hpp"

ORIEL_EXPORT int madvise(void* place, std::size_t bytes, int advice) noexcept {
  namespace moved = oriel::sessions::moved_mappings;
  if (advice == MADV_DONTNEED && moved::any()) return moved::drop(place, bytes);
  return static_cast<int>(syscall(SYS_madvise, place, bytes, advice));
}

// Fails with EFAULT there, unless the place shrinks where it is.
ORIEL_EXPORT void* mremap(void* place, std::size_t bytes, std::size_t new_bytes, int flags,
                          ...) noexcept {
  namespace moved = oriel::sessions::moved_mappings;
  void* fixed = nullptr;
  if ((flags & MREMAP_FIXED) != 0) {
    std::va_list more;
    va_start(more, flags);
    fixed = va_arg(more, void*);
    va_end(more);
  }
  constexpr int elsewhere = MREMAP_FIXED | MREMAP_DONTUNMAP;
  const bool shrinks = bytes != 0 && new_bytes <= bytes && (flags & elsewhere) == 0;
  if (!shrinks && moved::any() && moved::overlap(place, bytes == 0 ? 1 : bytes)) {
    errno = EFAULT;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr): what the kernel returns
      syscall(SYS_mremap, place, bytes, new_bytes, flags, fixed));
}
