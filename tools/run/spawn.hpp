// Starting one rank.
#pragma once

#include <sys/types.h>

#include "tools/run/options.hpp"
#include "tools/run/rank_placement.hpp"
#include "tools/run/rendezvous_socket.hpp"

namespace oriel::tools {

struct rank_process {
  pid_t pid = -1;
  sessions::socket_fd handle;  // pidfd: readable once the process has ended
  sessions::socket_fd out;     // with --tag: its standard output and error
  sessions::socket_fd err;
};

// Rank `rank` of `ranks`. The child is the leader of a process group of its own and dies with the
// launcher. Throws errc::system; a command that cannot be executed ends the child with status 127
// (not found) or 126 after a message.
rank_process spawn(const options&, int rank, int ranks, const rank_placement&,
                   const meeting_point&);

}  // namespace oriel::tools
