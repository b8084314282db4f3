// What is told of a thread's waits: that one lasts, so that the thread is about to sleep, that it
// has ended, and that what could not be begun was tried again. Whoever makes a thread wait notes
// that before. Nothing is told of waits that end after a few looks.
#pragma once

#include <chrono>

#include "sync/system.hpp"

namespace oriel::sync {

class wait_note {
 public:
  // Before each sleep of a thread that has waited since `began`.
  virtual void asleep(clock::time_point began) noexcept = 0;
  virtual void ended(std::chrono::nanoseconds took) noexcept = 0;
  // What a provider has refused, since it was busy, or its connection had ended.
  virtual void tried_again() noexcept = 0;

 protected:
  ~wait_note() = default;
};

// This thread's; null where nothing is noted. Many calls set it, so it is reached without a call,
// as work_of_this_thread is.
extern thread_local constinit wait_note* note_of_this_thread [[gnu::tls_model("initial-exec")]];

// One wait, from when the first look was in vain.
class noticed_wait {
 public:
  // It is told of from then on. A clock costs what a look does.
  static constexpr int unnoticed_looks = 64;

  noticed_wait() noexcept = default;
  noticed_wait(const noticed_wait&) = delete;
  noticed_wait& operator=(const noticed_wait&) = delete;
  ~noticed_wait() {
    if (note_ != nullptr) [[unlikely]]
      note_->ended(clock::now() - began_);
  }
  void begin() noexcept {
    if (note_ != nullptr) return;
    note_ = note_of_this_thread;
    if (note_ != nullptr) began_ = clock::now();
  }
  void asleep() noexcept {
    if (note_ != nullptr) note_->asleep(began_);
  }

 private:
  wait_note* note_ = nullptr;
  clock::time_point began_{};
};

}  // namespace oriel::sync
