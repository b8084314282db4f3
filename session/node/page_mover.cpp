#include "session/node/page_mover.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4  // Linux 5.7; older headers lack the names
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1  // Linux 5.11
#endif

namespace oriel::sessions {
namespace {

int open_userfaultfd() noexcept {
  const auto made = [](int flags) {
    return static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | flags));
  };
  const int whole = made(0);
  return whole >= 0 || errno != EPERM ? whole : made(UFFD_USER_MODE_ONLY);
}

// While it lives, threads that touch pages of the place that are not there wait.
class waiting_place {
 public:
  waiting_place(const std::byte* at, std::size_t bytes) noexcept : fd_(open_userfaultfd()) {
    if (fd_ < 0) return;
    uffdio_api api{};
    api.api = UFFD_API;
    uffdio_register place{};
    place.range = {reinterpret_cast<std::uintptr_t>(at), bytes};
    place.mode = UFFDIO_REGISTER_MODE_MISSING;
    ready_ = ioctl(fd_, UFFDIO_API, &api) == 0 && ioctl(fd_, UFFDIO_REGISTER, &place) == 0;
  }
  ~waiting_place() {
    if (fd_ >= 0) close(fd_);  // which wakes them
  }
  waiting_place(const waiting_place&) = delete;
  waiting_place& operator=(const waiting_place&) = delete;
  [[nodiscard]] bool ready() const noexcept { return ready_; }

 private:
  int fd_;
  bool ready_ = false;
};

// Returns 0 or errno. While the place is empty, nothing but this thread's stack may be touched:
// whatever else, the heap above all, may lie in it.
[[gnu::noinline]] int exchange(std::byte* at, std::size_t bytes,
                               const page_destination to) noexcept {
  void* const aside = mremap(at, bytes, bytes, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, nullptr);
  if (aside == MAP_FAILED) return errno;
  std::memcpy(to.mapped, aside, bytes);
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, to.file,
           static_cast<off_t>(to.offset)) == MAP_FAILED) {
    const int why = errno;
    mremap(aside, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
    return why;
  }
  munmap(aside, bytes);
  return 0;
}

}  // namespace

std::string move_pages(std::byte* at, std::size_t bytes, const page_destination& to) {
  const waiting_place place(at, bytes);
  if (!place.ready()) return std::string("userfaultfd cannot be used: ") + std::strerror(errno);
  const int why = exchange(at, bytes, to);
  return why == 0 ? std::string() : std::string("its pages cannot be moved: ") + std::strerror(why);
}

}  // namespace oriel::sessions
