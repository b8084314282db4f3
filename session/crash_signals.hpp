// Restores the program's handlers of crash signals after a session has opened.
//
// Libraries of libfabric's providers install handlers of their own, which print a backtrace and end
// the process with status 1, so that the launcher does not see the signal: libpsm2 and
// libinfinipath when they are loaded, others when libfabric enumerates what they offer.
#pragma once

#include <signal.h>

#include <array>

namespace oriel::sessions {

class crash_signals {
 public:
  static constexpr std::array kept{SIGINT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM};

  crash_signals() noexcept;
  crash_signals(const crash_signals&) = delete;
  crash_signals& operator=(const crash_signals&) = delete;
  // Handlers are again as they were at construction; those of the libraries' are the default.
  ~crash_signals();

 private:
  std::array<struct sigaction, kept.size()> before_{};
};

}  // namespace oriel::sessions
