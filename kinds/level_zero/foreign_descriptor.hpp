// A file descriptor of another process, taken over into this one. Level Zero's handles name memory
// by a descriptor, which means nothing elsewhere.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace oriel::kinds {

// Owns this process's copy. Drivers differ in whether they close what they were given, and a number
// that was closed may name another file by now: so the copy remembers which file it was, and is
// closed only while it still is that file.
class foreign_descriptor {
 public:
  // Throws `error(rma_shared)` with the reason: the process has gone, or does not let its
  // descriptors be taken (a ptrace right: prctl(PR_SET_PTRACER) or /proc/sys/kernel/yama).
  foreign_descriptor(std::int32_t process, int descriptor);
  foreign_descriptor(foreign_descriptor&& other) noexcept;
  foreign_descriptor& operator=(foreign_descriptor&&) = delete;
  ~foreign_descriptor();

  // Why no process of this machine lets a descriptor be taken; empty when some may.
  static std::string unavailable();

  [[nodiscard]] int number() const noexcept { return number_; }

 private:
  int number_ = -1;
  dev_t device_ = 0;
  ino_t file_ = 0;
};

}  // namespace oriel::kinds
