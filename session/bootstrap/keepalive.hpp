// TCP keepalive distinguishes a rank that is not reached from one that is slow: the other side's
// kernel answers even for a process that is stopped.
#pragma once

#include <chrono>
#include <string>

#include "session/bootstrap/environment.hpp"

namespace oriel::sessions {

inline constexpr std::chrono::milliseconds shortest_silence{6000};

// How long a rank's kernel may be silent before the rank counts as cut off: ORIEL_TIMEOUT, where
// that is set and longer.
std::chrono::milliseconds silence_of(const job_description&) noexcept;

// The socket fails once the other kernel has been silent for so long, and sends at once.
void keep_alive(int fd, std::chrono::milliseconds silence) noexcept;

// For messages, behind "rank 3 ".
std::string silence_in_words(std::chrono::milliseconds silence);

// Returns whether `failure`, a socket's errno, means that the other side is not reached: no sign
// that its process has ended.
[[nodiscard]] bool is_silence(int failure) noexcept;

}  // namespace oriel::sessions
