// The progress agent: one thread per process, started with the first window whose owner must serve
// requests while it computes, asleep on this process's doorbell when idle. It ends with the
// session. The program's own threads may serve in its place where they pass by.
#pragma once

#include "session/session_state.hpp"
#include "transport/service_thread.hpp"

namespace oriel::transport {

// Lives as `session_state::extension<agent>()`.
class agent : public service_thread {
 public:
  explicit agent(detail::session_state&);

  // Serves now what the doorbell has rung for, unless a thread is at it. Returns whether there was
  // anything; two loads where there was nothing. Any thread.
  bool serve_rung() noexcept;

 private:
  class at_doorbell;
  const at_doorbell& doorbell_;
};

}  // namespace oriel::transport
