// A file descriptor that closes itself.
#pragma once

#include <unistd.h>

#include <utility>

namespace oriel::sessions {

class socket_fd {
 public:
  socket_fd() = default;
  explicit socket_fd(int fd) noexcept : fd_(fd) {}
  socket_fd(socket_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  socket_fd& operator=(socket_fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~socket_fd() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool valid() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace oriel::sessions
