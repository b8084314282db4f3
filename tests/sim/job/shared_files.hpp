// What pretended processes of one node share, as the system gives it to real ones: memory files,
// which each process maps where it likes, and locks on their bytes, by which others see whether it
// lives. All processes here have one address space and, to the system, are one owner of locks; so
// mmap, munmap and fcntl come here first.
//
// One a run. Threads: those of the run.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <map>
#include <utility>

#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

class shared_files {
 public:
  explicit shared_files(scheduler& run) noexcept;
  ~shared_files();
  shared_files(const shared_files&) = delete;
  shared_files& operator=(const shared_files&) = delete;
  // The run's; null outside of runs that have one.
  static shared_files* of_run() noexcept { return current_; }

  // The file's first `bytes` bytes are there from now on: each access is a step.
  void mapped(int fd, const void* at, std::size_t bytes);
  // They are about to be there no more.
  void unmapped(const void* at);
  // Whether others do hold the locks of bytes that nobody has locked: processes that are not there,
  // and live.
  void let_all_live(bool they_do) noexcept { all_live_ = they_do; }
  // As fcntl does with a lock of one byte, but that the processes are those of the run.
  int set_lock(int fd, const struct flock& lock);
  int get_lock(int fd, struct flock& lock);

 private:
  using file = std::pair<dev_t, ino_t>;
  static file file_of(int fd);

  static shared_files* current_;
  scheduler& run_;
  std::map<file, std::size_t> known_;  // their numbers
  std::map<const void*, file> places_;
  std::map<std::pair<file, off_t>, int> locks_;  // by byte, whose
  bool all_live_ = false;
};

}  // namespace oriel::sim
