// The texts of the calling thread's last few failures: a status has only room for a code. Any
// thread; each has its own.
#pragma once

#include <cstdint>
#include <string>

#include "oriel/errc.hpp"

namespace oriel::detail {

// A number for a window or a team that notes failures, no other's in this process.
std::uint64_t new_note_owner() noexcept;
// `owner`: such a number, or 0 for what keeps no account of its own.
void note_failure(std::uint64_t owner, errc, const std::string& text) noexcept;
// The same for a failure that was noted before, by any thread, and is returned again.
void recall_failure(std::uint64_t owner, errc, const std::string& text) noexcept;
// How many the calling thread has noted: whether a call has failed newly.
std::uint64_t failures_noted() noexcept;
// The last of `owner`, or the last of anything with this code; empty when there is none, or others
// have taken its place.
std::string noted_failure(std::uint64_t owner);
std::string noted_failure(errc);

}  // namespace oriel::detail
