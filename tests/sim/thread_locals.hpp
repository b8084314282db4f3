// What a fiber has of its own that the compiler and the C++ runtime keep by thread: every
// thread_local variable of this program, those of the library and of the test alike; exceptions
// that are being handled; errno. All fibers run on one thread, at one address of each variable, so
// their values are exchanged when another fiber goes on. So the sources under simulation declare
// thread_local as they do in a release, and none is forgotten.
//
// Not exchanged: thread_local variables of shared libraries, of which none are oriel's.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace oriel::sim {

class thread_locals {
 public:
  // As a thread begins with.
  thread_locals();
  thread_locals(const thread_locals&) = delete;
  thread_locals& operator=(const thread_locals&) = delete;

  // The thread's values are kept here, and another's may come.
  void leave() noexcept;
  // They are those of the variables again.
  void enter() noexcept;

  // An object that is destroyed as the thread ends.
  void destroy_at_end(void (*destroy)(void*), void* object);
  // Destroys them, the last made first. The thread runs, and ends.
  void end();

 private:
  // What the C++ runtime keeps of the exceptions that a thread handles.
  struct exceptions {
    void* caught;
    unsigned int uncaught;
  };

  std::vector<std::byte> values_;
  exceptions exceptions_{};
  int errno_ = 0;
  std::vector<std::pair<void (*)(void*), void*>> objects_;
};

}  // namespace oriel::sim
