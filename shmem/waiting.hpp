// Waiting for a value in this PE's own memory. Writers are stores and atomic instructions of other
// processes, which wake nobody: a waiter looks often at first, then lets others have its core, and
// at last sleeps between its looks. It serves other PEs meanwhile.
#pragma once

#include "session/team/collective_note.hpp"
#include "shmem/process.hpp"
#include "sync/wait.hpp"

namespace oriel::shmem {

// How a thread goes on while what it waits for has not come.
class patient_waiter {
 public:
  // `call`: what waits, for messages and for oriel-info. `awaited`: the PE that has to do something
  // first; below 0 where it may be any.
  patient_waiter(process& p, const char* call, int awaited) noexcept;
  // Between two looks. Ends the job where a PE has died, or ORIEL_TIMEOUT has passed.
  void pause() noexcept;

 private:
  void sleep() noexcept;

  process& process_;
  const sync::peer_watch& watch_;
  const char* call_;
  sync::patience_clock clock_;
  sessions::collective_note shown_;
  sync::noticed_wait waited_;
  int round_ = 0;
};

// Blocks until `done()`, which reads memory that others write.
template <class Done>
void wait_until(const char* call, Done done, int awaited = -1) noexcept {
  process& p = process::here(call);
  if (!done()) {
    patient_waiter waiter(p, call, awaited);
    do waiter.pause();
    while (!done());
  }
  p.note_answer();
}

// After a test that this thread has found not to hold: serves other PEs, for a program that tests
// again and again waits too. Ends the job where a PE has died.
void after_vain_test(process&, const char* call) noexcept;

}  // namespace oriel::shmem
