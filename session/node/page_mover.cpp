#include "session/node/page_mover.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "session/node/memory_advice.hpp"
#include "session/node/page_sizes.hpp"

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

// Every page is there then, if only as the one of zeros.
void populate(const std::byte* at, std::size_t bytes) noexcept {
  if (madvise(const_cast<std::byte*>(at), bytes, MADV_POPULATE_READ) == 0) return;
  for (std::size_t i = 0; i < bytes; i += page)
    static_cast<void>(static_cast<const volatile std::byte*>(at)[i]);
}

// While it lives, threads that write to the place wait. A handler of this thread's that wrote to it
// would wait for ever, so there are none meanwhile.
class still_place {
 public:
  still_place(const std::byte* at, std::size_t bytes) noexcept : fd_(open_userfaultfd()) {
    uffdio_api api{};
    api.api = UFFD_API;
    uffdio_register place{};
    place.range = {reinterpret_cast<std::uintptr_t>(at), bytes};
    place.mode = UFFDIO_REGISTER_MODE_WP;
    uffdio_writeprotect writes{};
    writes.range = place.range;
    writes.mode = UFFDIO_WRITEPROTECT_MODE_WP;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
    if (fd_ < 0 || ioctl(fd_, UFFDIO_API, &api) != 0 || ioctl(fd_, UFFDIO_REGISTER, &place) != 0 ||
        syscall(SYS_ioctl, fd_, UFFDIO_WRITEPROTECT, &writes) != 0)
      error_ = errno;
  }
  ~still_place() {
    if (fd_ >= 0) syscall(SYS_close, fd_);  // which wakes them
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  still_place(const still_place&) = delete;
  still_place& operator=(const still_place&) = delete;
  [[nodiscard]] int error() const noexcept { return error_; }

 private:
  int fd_;
  int error_ = 0;
  sigset_t before_;
};

// A sanitizer would object to the heap's own book-keeping between what is allocated.
[[gnu::no_sanitize("address", "thread")]] void copy_words(const std::byte* from, std::byte* to,
                                                          std::size_t bytes) noexcept {
  const auto* const words = reinterpret_cast<const volatile std::uint64_t*>(from);
  auto* const copies = reinterpret_cast<std::uint64_t*>(to);
  for (std::size_t i = 0; i < bytes / sizeof *copies; ++i) copies[i] = words[i];
}

void* map(std::byte* at, std::size_t bytes, const page_destination& to) noexcept {
  return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, to.file,
              static_cast<off_t>(to.offset));
}

}  // namespace

std::string move_pages(std::byte* at, std::size_t bytes, const page_destination& to) {
  populate(at, bytes);
  int why = 0;
  {
    // What lies in the place may be read here and not written, whatever it is, the heap's locks
    // above all; so no function is called that a program, or a registration cache, may replace.
    const still_place place(at, bytes);
    why = place.error();
    if (why == 0) {
      copy_words(at, to.mapped, bytes);
      if (syscall(SYS_mmap, at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, to.file,
                  to.offset) == -1)
        why = errno;
    } else {
      return std::string("userfaultfd cannot be used: ") + std::strerror(why);
    }
  }
  if (why != 0) return std::string("its pages cannot be moved: ") + std::strerror(why);
  // The same once more, by the function that registration caches have replaced: they forget what
  // they know of these addresses.
  map(at, bytes, to);
  return {};
}

void keep_from_growing(std::byte* first) noexcept {
  madvise(first, page, MADV_DONTDUMP);
}

}  // namespace oriel::sessions
