// Keeps the signals of crashes the program's own while a session opens.
//
// Libraries that libfabric's providers use take them for handlers of theirs, which print a
// backtrace and end the process with status 1, so that no launcher learns of the signal: libpsm2
// and libinfinipath as soon as they are loaded, others when they are asked what they offer.
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
