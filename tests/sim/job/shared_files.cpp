#include "tests/sim/job/shared_files.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <string>

namespace oriel::sim {

shared_files* shared_files::current_ = nullptr;

shared_files::shared_files(scheduler& run) noexcept : run_(run) {
  current_ = this;
}

shared_files::~shared_files() {
  current_ = nullptr;
}

shared_files::file shared_files::file_of(int fd) {
  struct stat about {};
  fstat(fd, &about);
  return {about.st_dev, about.st_ino};
}

void shared_files::mapped(int fd, const void* at, std::size_t bytes) {
  const file which = file_of(fd);
  const std::size_t number = known_.emplace(which, known_.size()).first->second;
  // Where no process has any memory, so that nothing else is called by such an address.
  constexpr std::uintptr_t beyond_all_memory = std::uintptr_t{1} << 56, largest = 1ull << 48;
  run_.map(at, bytes, reinterpret_cast<const void*>(beyond_all_memory + number * largest),
           "file " + std::to_string(number));
  places_.emplace(at, which);
}

// Its locks go with its descriptor, which it closes next.
void shared_files::unmapped(const void* at) {
  const auto place = places_.find(at);
  if (place == places_.end()) return;
  run_.step("unmaps a file");
  run_.drain_process(run_.process());
  run_.unmap(at);
  const file which = place->second;
  std::erase_if(locks_, [&](const auto& lock) {
    return lock.first.first == which && lock.second == run_.process();
  });
  places_.erase(place);
}

int shared_files::set_lock(int fd, const struct flock& lock) {
  run_.step("locks a byte");
  const auto [holder, fresh] = locks_.emplace(std::pair(file_of(fd), lock.l_start), run_.process());
  if (!fresh && holder->second != run_.process() && run_.alive(holder->second)) {
    errno = EAGAIN;
    return -1;
  }
  holder->second = run_.process();
  return 0;
}

// The system lets a lock go once the process has ended, and all of its stores are seen by then.
int shared_files::get_lock(int fd, struct flock& lock) {
  run_.step("looks who has locked a byte");
  const auto holder = locks_.find({file_of(fd), lock.l_start});
  const bool held = holder != locks_.end() && holder->second != run_.process();
  if (held && !run_.alive(holder->second)) run_.drain_process(holder->second);
  const bool by_nobody_here = all_live_ && holder == locks_.end();
  if (!by_nobody_here && (!held || !run_.alive(holder->second))) lock.l_type = F_UNLCK;
  run_.note(static_cast<std::uint64_t>(lock.l_type));
  return 0;
}

namespace {

shared_files* called_by_a_process() noexcept {
  return scheduler::active() == nullptr ? nullptr : shared_files::of_run();
}

}  // namespace
}  // namespace oriel::sim

// The linker has these called in the place of the system's.
extern "C" {

void* __real_mmap(void* at, std::size_t bytes, int allowed, int how, int fd, off_t from);
void* __wrap_mmap(void* at, std::size_t bytes, int allowed, int how, int fd, off_t from) {
  void* const made = __real_mmap(at, bytes, allowed, how, fd, from);
  auto* const files = oriel::sim::called_by_a_process();
  if (files != nullptr && made != MAP_FAILED && fd >= 0 && (how & MAP_SHARED) != 0)
    files->mapped(fd, made, bytes);
  return made;
}

int __real_munmap(void* at, std::size_t bytes);
int __wrap_munmap(void* at, std::size_t bytes) {
  if (auto* const files = oriel::sim::called_by_a_process()) files->unmapped(at);
  return __real_munmap(at, bytes);
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...) {
  std::va_list arguments;
  va_start(arguments, command);
  void* const with = va_arg(arguments, void*);
  va_end(arguments);
  if (auto* const files = oriel::sim::called_by_a_process()) {
    if (command == F_SETLK) return files->set_lock(fd, *static_cast<struct flock*>(with));
    if (command == F_GETLK) return files->get_lock(fd, *static_cast<struct flock*>(with));
  }
  return __real_fcntl(fd, command, with);
}
}
