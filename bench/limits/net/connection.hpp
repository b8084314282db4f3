// One TCP connection over the loopback between the two processes of a measurement.
#pragma once

#include "bench/limits/processes.hpp"

namespace bench::net {

class connection {
 public:
  // Collective over two processes. Calls on the socket do not block.
  explicit connection(processes& all);
  ~connection();
  connection(const connection&) = delete;
  connection& operator=(const connection&) = delete;
  [[nodiscard]] int get() const { return socket_; }

 private:
  int socket_;
};

}  // namespace bench::net
