// Serves other ranks from the host's own progress. A rank that waits in a call of the host's, a
// receive say, polls for messages all the time: it then polls for other ranks' requests to its
// windows too, and answers sooner than its agents, which need a core and a wake. The agents serve
// while the program computes, and where the host's progress cannot be interposed: every window that
// is served here has one.
//
// Open MPI calls functions that are registered with its progress engine; for MPICH, UCX's progress
// is interposed (host_idling.cpp), and where it was built for another network, nothing is.
#pragma once

#include "session/team/messenger.hpp"
#include "transport/agent.hpp"

namespace oriel::mpi {

// The windows of this process that other ranks may send requests to; null: none now.
struct servers {
  transport::agent* on_node = nullptr;    // of mail from ranks of this node
  sessions::messenger* remote = nullptr;  // of other nodes
};

// For as long as it lives, serve_in_host looks at these, which outlive it. Any thread.
class service_in_host {
 public:
  explicit service_in_host(const servers&);
  service_in_host(const service_in_host&) = delete;
  service_in_host& operator=(const service_in_host&) = delete;
  ~service_in_host();

 private:
  servers served_;
};

// What the host's progress calls, on any of the program's threads, maybe under the host's locks.
// Serves what has come, calls nothing of the host's, and does not come back to itself. A few loads
// where nothing has. Returns how many looks found something.
int serve_in_host() noexcept;

// The host calls no more. At MPI_Finalize, after the last service has ended; no other thread is in
// MPI.
void leave_host() noexcept;

}  // namespace oriel::mpi
