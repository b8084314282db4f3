// What a call with another rank has come to, as all ranks are to see it.
#pragma once

#include <string>

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/handshake.hpp"

namespace oriel::sessions {

// Requires: `why` is not done.
answer failure_of(io_result why, int rank, const job_description&);
answer failure_of(const error&);
// Of a message that is not what was waited for: what its sender passes on, or nonsense of its own.
answer failure_in(const std::string& bytes, int sender, const job_description&);
// What all that did appear are told of `ranks`, "1, 3".
std::string absence_of(const std::string& ranks, const job_description&);
// Whether an answer reports one.
[[nodiscard]] bool is_failure(const answer&) noexcept;
// Throws timed_out or peer_failed.
[[noreturn]] void give_up(const answer& failure);

}  // namespace oriel::sessions
