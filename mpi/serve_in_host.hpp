// Serving other ranks from the host's own progress. A rank that waits in a call of the host's, a
// receive say, looks for messages all the time: it looks then for what other ranks ask of its
// windows too, and answers sooner than its agents, which need a core and a wake. The agents serve
// while the program computes, and where a host cannot be met: every window that is served here has
// one.
//
// Open MPI calls whoever has registered with its progress engine; MPICH is met on its way to UCX's
// progress (host_idling.cpp), and where it was built for another network, not at all.
#pragma once

#include "session/team/messenger.hpp"
#include "transport/agent.hpp"

namespace oriel::mpi {

// Who has requests of other ranks in this process; null: none does now.
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
