// The file that the ranks of a node share: without a name, made by one process and opened by the
// others through that process's descriptor. Process numbers are reused, so a file is verified
// before it is used: it is a file in memory, of this user, of the agreed size, sealed so that it
// never shrinks, and it begins with a random token that its maker has announced.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <string>

#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

class memory_file {
 public:
  using token = std::array<unsigned char, 16>;
  // What the maker announces, by which the others identify the file.
  struct identity {
    int descriptor = -1;  // in the maker
    std::size_t bytes = 0;
    token begins_with{};
  };

  // Throws no_mem when a limit (RLIMIT_FSIZE) is in the way, which is named; else system.
  static memory_file make(std::size_t bytes);
  // Throws rma_shared when `maker` has no such file that this process may open.
  static memory_file open(pid_t maker, const identity&);

  [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }
  [[nodiscard]] std::size_t bytes() const noexcept { return known_.bytes; }
  // As the maker's.
  [[nodiscard]] const identity& known() const noexcept { return known_; }

 private:
  memory_file(socket_fd fd, const identity& known) : fd_(std::move(fd)), known_(known) {}

  socket_fd fd_;
  identity known_;
};

}  // namespace oriel::sessions
