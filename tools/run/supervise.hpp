// The job while it runs.
#pragma once

#include <vector>

#include "tools/run/options.hpp"
#include "tools/run/rank_placement.hpp"
#include "tools/run/rendezvous_socket.hpp"

namespace oriel::tools {

// Starts a rank at each place and stays until all have ended. Returns the exit status of the first
// that failed (128 + signal when killed), 0 when none did. When a rank fails, every other gets
// SIGTERM and half a second later SIGKILL, with its whole process group, unless
// options::outlast_failures is set. Signals to the launcher go to all ranks; after SIGINT, SIGTERM
// or SIGHUP the ranks are ended in the same way. Where ORIEL_STATS names a file, what the job's
// windows have counted is printed at the end.
int supervise(const options&, const std::vector<rank_placement>&, meeting_points);

}  // namespace oriel::tools
