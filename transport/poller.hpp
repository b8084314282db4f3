// A thread that polls, since kernels of devices wake no process. One a process, started with the
// first client and ended with the session. It polls often while there is work, and the longer there
// is none the longer it sleeps, up to 100 µs.
#pragma once

#include "session/session_state.hpp"
#include "transport/service_thread.hpp"

namespace oriel::transport {

// Lives as `session_state::extension<poller>()`.
class poller : public service_thread {
 public:
  explicit poller(detail::session_state&);
};

}  // namespace oriel::transport
