// What a call with another rank has come to, as all ranks are to see it.
#pragma once

#include "oriel/errc.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/handshake.hpp"

namespace oriel::sessions {

// Requires: `why` is not done.
answer failure_of(io_result why, int rank, const job_description&);
answer failure_of(const error&);
// Whether an answer reports one.
[[nodiscard]] bool is_failure(const answer&) noexcept;
// Throws timed_out or peer_failed.
[[noreturn]] void give_up(const answer& failure);

}  // namespace oriel::sessions
