// ORIEL_CHECK: the order that the host's messages make among accesses to windows.
#pragma once

#include <mpi.h>

#include <atomic>

#include "session/team/vector_clock.hpp"

namespace oriel::mpi {

// Of this process, while its windows are checked; else null.
extern std::atomic<sessions::vector_clock*> order_of_messages;

// This process has heard of others by a call that has returned `code`: what is complete anywhere by
// now comes before what it does next. What exactly it has heard is not known, so it may be less.
// Returns `code`.
inline int heard(int code) noexcept {
  if (auto* const order = order_of_messages.load(std::memory_order_relaxed)) [[unlikely]]
    order->learn_everything();
  return code;
}

}  // namespace oriel::mpi
