// Who carries out, in this process, what other ranks of its node ask for (transport/agent.hpp).
#pragma once

namespace oriel::sessions {

class node_service {
 public:
  virtual ~node_service() = default;
  // Serves now what has been asked for, unless a thread is at it. Returns whether there was
  // anything; a few loads where there was nothing. Any thread.
  virtual bool serve_rung() noexcept = 0;
  // The next thread that makes progress serves all, whether anything has been asked for or not.
  virtual void serve_soon() noexcept = 0;
  [[nodiscard]] virtual bool serves_soon() const noexcept = 0;
};

}  // namespace oriel::sessions
