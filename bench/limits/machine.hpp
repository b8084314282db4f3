// What the limits share: a party of one, and memory as the windows' is.
#pragma once

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/support/measure.hpp"

namespace bench {

struct alone final : party {
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void barrier() override {}
  double agree(double mine) override { return mine; }
};

// A memory file, in huge pages where the system has them.
class shared_memory {
 public:
  explicit shared_memory(std::size_t bytes, bool touched = true)
      : bytes_((bytes + (2u << 20) - 1) & ~((2ul << 20) - 1)) {
    const int fd = memfd_create("limits", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(bytes_)) != 0) std::exit(1);
    base_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (base_ == MAP_FAILED) std::exit(1);
    if (bytes > (1u << 20)) madvise(base_, bytes_, MADV_HUGEPAGE);
    if (touched) std::memset(base_, 0, bytes_);
  }
  ~shared_memory() { munmap(base_, bytes_); }
  shared_memory(const shared_memory&) = delete;
  shared_memory& operator=(const shared_memory&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(base_);
  }

 private:
  std::size_t bytes_;
  void* base_;
};

inline void pin(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

// What rows of bench/rows/memory_rows.cpp come down to.
void memory_limits(alone&, const arguments&);
// What those of bench/rows/list_rows.cpp come down to, by processes of its own.
void list_limits(const arguments&);
// What lookups and inserts of tables come down to; likewise.
void table_limits(const arguments&);

}  // namespace bench
