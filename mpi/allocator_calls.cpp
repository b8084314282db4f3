// madvise and mremap, which on memory that a session has moved into the node's do not do by
// themselves what programs count on (session/node/moved_mappings.hpp). Allocators other than
// glibc's give pages back by MADV_DONTNEED and expect zeros; and what grows by mremap would get the
// neighbouring pages of the node's memory.
//
// Registration caches (UCX's) replace these functions too: they look them up by name and write a
// jump to their own over what they find, which is to be the C library's and not these. So where
// that has versions these are found by it alone (mpi/CMakeLists.txt), as programs do that were
// linked with it; and they go on to the C library's, for the caches to hear of it.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "mpi/host.hpp"
#include "session/node/moved_mappings.hpp"

#ifdef ORIEL_LIBC_VERSION
#define ORIEL_IN_PLACE_OF_LIBC(function)                                     \
  __asm__(".symver oriel_" #function ", " #function "@" ORIEL_LIBC_VERSION); \
  ORIEL_EXPORT
#define ORIEL_LIBC_NAME(function) oriel_##function
#else
#define ORIEL_IN_PLACE_OF_LIBC(function) ORIEL_EXPORT
#define ORIEL_LIBC_NAME(function) function
#endif

namespace {

using oriel::sessions::moved_mappings::advise;
using remap = void*(void*, std::size_t, std::size_t, int, ...) noexcept;

int advise_kernel(void* place, std::size_t bytes, int advice) noexcept {
  return static_cast<int>(syscall(SYS_madvise, place, bytes, advice));
}
void* remap_in_kernel(void* place, std::size_t bytes, std::size_t new_bytes, int flags,
                      ...) noexcept {
  std::va_list more;
  va_start(more, flags);
  void* const fixed = va_arg(more, void*);
  va_end(more);
  return reinterpret_cast<void*>(  // NOLINT(performance-no-int-to-ptr): what the kernel returns
      syscall(SYS_mremap, place, bytes, new_bytes, flags, fixed));
}

// The C library's, looked up before any allocator can be in the middle of something; until then
// the kernel's.
constinit advise* libc_madvise = advise_kernel;
constinit remap* libc_mremap = remap_in_kernel;

[[gnu::constructor]] void look_up() noexcept {
  if (void* const found = dlsym(RTLD_NEXT, "madvise"); found != nullptr)
    libc_madvise = reinterpret_cast<advise*>(found);
  if (void* const found = dlsym(RTLD_NEXT, "mremap"); found != nullptr)
    libc_mremap = reinterpret_cast<remap*>(found);
}

}  // namespace

ORIEL_IN_PLACE_OF_LIBC(madvise)
int ORIEL_LIBC_NAME(madvise)(void* place, std::size_t bytes, int advice) noexcept {
  namespace moved = oriel::sessions::moved_mappings;
  return advice == MADV_DONTNEED && moved::any() ? moved::drop(place, bytes, libc_madvise)
                                                 : libc_madvise(place, bytes, advice);
}

// Fails with EFAULT there, unless the place shrinks where it is.
ORIEL_IN_PLACE_OF_LIBC(mremap)
void* ORIEL_LIBC_NAME(mremap)(void* place, std::size_t bytes, std::size_t new_bytes, int flags,
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
  return libc_mremap(place, bytes, new_bytes, flags, fixed);
}
