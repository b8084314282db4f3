// The job while it runs.
#pragma once

#include <vector>

#include "tools/run/options.hpp"
#include "tools/run/rank_placement.hpp"
#include "tools/run/rendezvous_socket.hpp"

namespace oriel::tools {

// Starts a rank at each place and stays until all have ended. Returns the exit status of the first
// that failed (128 + signal when killed), 0 when none did. When a rank fails, every other is asked
// to end (SIGTERM) and half a second later made to (SIGKILL), with whatever it started in its
// process group; options::outlast_failures says otherwise. Signals to the launcher go to all ranks;
// after SIGINT, SIGTERM or SIGHUP they are made to end too.
int supervise(const options&, const std::vector<rank_placement>&, const meeting_point&);

}  // namespace oriel::tools
