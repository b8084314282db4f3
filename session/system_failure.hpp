// What a system call's failure becomes where it cannot be a rank's outcome.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "oriel/errc.hpp"

namespace oriel::sessions {

// Throws errc::system with `what` failed and why: errno's text.
[[noreturn]] inline void system_failure(const std::string& what) {
  throw error(errc::system, what + ": " + std::strerror(errno));
}

}  // namespace oriel::sessions
