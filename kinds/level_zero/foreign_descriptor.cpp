#include "kinds/level_zero/foreign_descriptor.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "oriel/errc.hpp"

namespace oriel::kinds {
namespace {

// glibc before 2.36 declares neither of the two calls.
int take(int process_descriptor, int descriptor) {
  return static_cast<int>(syscall(SYS_pidfd_getfd, process_descriptor, descriptor, 0));
}

}  // namespace

foreign_descriptor::foreign_descriptor(std::int32_t process, int descriptor) {
  const int from = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  const char* call = "pidfd_open";
  if (from >= 0) {
    call = "pidfd_getfd";
    number_ = take(from, descriptor);
  }
  const int why = errno;
  if (from >= 0) ::close(from);
  if (number_ < 0)
    throw error(errc::rma_shared, "Descriptor " + std::to_string(descriptor) + " of process " +
                                      std::to_string(process) + " could not be taken over (" +
                                      call + ": " + std::strerror(why) + ").");
  struct stat now {};
  if (fstat(number_, &now) == 0) {
    device_ = now.st_dev;
    file_ = now.st_ino;
  }
}

foreign_descriptor::foreign_descriptor(foreign_descriptor&& other) noexcept
    : number_(std::exchange(other.number_, -1)), device_(other.device_), file_(other.file_) {}

foreign_descriptor::~foreign_descriptor() {
  struct stat now {};
  if (number_ >= 0 && fstat(number_, &now) == 0 && now.st_dev == device_ && now.st_ino == file_)
    ::close(number_);
}

// One's own descriptors may always be taken, unless the kernel or its filter has no such calls.
std::string foreign_descriptor::unavailable() {
  const int mine = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  const int copy = mine < 0 ? -1 : take(mine, mine);
  const int why = errno;
  if (copy >= 0) ::close(copy);
  if (mine >= 0) ::close(mine);
  if (copy >= 0) return {};
  return std::string("the kernel lets no descriptor be taken from another process (") +
         std::strerror(why) + ")";
}

}  // namespace oriel::kinds
