// The texts of the calling thread's last few failures: a status has only room for a code. Any
// thread; each has its own.
#pragma once

#include <cstdint>
#include <string>

#include "oriel/errc.hpp"

namespace oriel::detail {

// Returns a number for a window or a team that notes failures, unique in this process.
std::uint64_t new_note_owner() noexcept;
// `owner`: such a number, or 0 for an object that has none.
void note_failure(std::uint64_t owner, errc, const std::string& text) noexcept;
// The same for a failure that was noted before, by any thread, and is returned again.
void recall_failure(std::uint64_t owner, errc, const std::string& text) noexcept;
// Returns how many the calling thread has noted; it grows with each failure that is new.
std::uint64_t failures_noted() noexcept;
// Return the last text of `owner`, or the last of any with this code; empty where there is none, or
// later ones have replaced it.
std::string noted_failure(std::uint64_t owner);
std::string noted_failure(errc);

}  // namespace oriel::detail
