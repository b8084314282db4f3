// A network namespace without a name: a descriptor holds it, and the kernel frees it, with the
// links in it, when the last descriptor is closed and the last process in it has ended.
#pragma once

#include <functional>

#include "session/bootstrap/rendezvous.hpp"

namespace oriel::tools {

// Lets this process make network namespaces: nothing to do for those with CAP_SYS_ADMIN, else by
// entering a user namespace of its own, where it keeps its numbers as user and group. Throws
// errc::system, and changes nothing, where neither is permitted. Requires: one thread.
void obtain_right_to_namespaces();

class network_namespace {
 public:
  // Throws errc::system.
  network_namespace();
  [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }
  // Does `work` inside, on a thread of its own: one that has entered a user namespace could not go
  // back to the network namespace it came from. Throws errc::system and what `work` throws.
  void visit(const std::function<void()>& work) const;

 private:
  sessions::socket_fd fd_;
};

}  // namespace oriel::tools
