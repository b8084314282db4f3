// The part of a rank that joins another: it connects to where that listens, and the two prove to
// each other that they are of one job (handshake.hpp).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "session/bootstrap/connection.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/handshake.hpp"
#include "session/bootstrap/named_place.hpp"
#include "session/bootstrap/socket_address.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

// Between two attempts to connect.
inline constexpr std::chrono::milliseconds retry_pause{20};

// What else is to end a wait: a connection that is readable, or has ended. None: -1.
using interruption = int;

// Returns a socket that is not valid where no process listens there, where none has answered by
// `until`, and after an interruption. Throws system.
socket_fd connect_to(const socket_address& where, const job_description&, deadline until,
                     interruption);

// done: each has proven itself; gone, silent: the connection has ended, as it does when strangers
// leave no room; late; interrupted. `where` the other listens, for messages: "ORIEL_ROOT=host:1".
// Throws arg where this rank is refused and where the other is not rank `mine.to` of this job.
io_result introduce(int fd, const job_description&, const hello& mine, const std::string& where,
                    deadline until, interruption);

// The connection with the rank that listens there, which may be as late as the time-out allows and
// wait for others as long again. `mine`: what to say of this rank on a socket that is connected.
// Throws arg as introduce does; timed_out; system.
connection join(const named_place&, const job_description&,
                const std::function<hello(int connected)>& mine);

}  // namespace oriel::sessions
