// Between C++ and C, which has no exceptions.
#pragma once

#include <exception>
#include <string>

#include "shmem/ending.hpp"

namespace oriel::shmem {

// Runs what may throw; ends the job where it does. `call` is named then.
template <class Work>
decltype(auto) guarded(const char* call, Work work) noexcept {
  try {
    return work();
  } catch (const std::exception& e) {
    fail(std::string(call) + ": " + e.what());
  }
}

}  // namespace oriel::shmem
