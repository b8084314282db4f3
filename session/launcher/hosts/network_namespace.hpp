// A network namespace without a name: a descriptor holds it, and the kernel frees it, with the
// links in it, when the last descriptor is closed and the last process in it has ended.
#pragma once

#include "session/rendezvous.hpp"

namespace oriel::launch {

// Lets this process make network namespaces: nothing to do for those with CAP_SYS_ADMIN, else by
// entering a user namespace of its own, where it keeps its numbers as user and group. Throws
// errc::system, and changes nothing, where neither is permitted. REQUIRES one thread.
void obtain_right_to_namespaces();

class network_namespace {
 public:
  // Throws errc::system.
  network_namespace();
  [[nodiscard]] int descriptor() const noexcept { return fd_.get(); }

  // The calling thread is inside for as long as this lives. Throws errc::system.
  class visit {
   public:
    explicit visit(const network_namespace& where);
    ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

   private:
    boot::socket_fd home_;
  };

 private:
  boot::socket_fd fd_;
};

}  // namespace oriel::launch
