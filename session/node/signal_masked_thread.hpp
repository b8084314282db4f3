// A thread of the library's own: the application's signal handlers run on its own threads.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace oriel::sessions {

template <class Run>
std::thread start_quietly(Run run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread started(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace oriel::sessions
