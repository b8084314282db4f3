// madvise, for allocators other than glibc's: they give pages back by MADV_DONTNEED and count on
// zeros afterwards, which memory that was moved into the node's would not read as by itself.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi/host.hpp"
#include "session/node/moved_mappings.hpp"

ORIEL_EXPORT int madvise(void* place, std::size_t bytes, int advice) noexcept {
  namespace moved = oriel::sessions::moved_mappings;
  if (advice == MADV_DONTNEED && moved::any()) [[unlikely]]
    return moved::drop(place, bytes);
  return static_cast<int>(syscall(SYS_madvise, place, bytes, advice));
}
