// A thread of the library's own: the application's signal handlers run on its own threads.
#pragma once

#include <signal.h>

#include <utility>

#include "sync/system.hpp"

namespace oriel::sessions {

template <class Run>
sync::thread start_quietly(Run run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  sync::thread started(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace oriel::sessions
