// Stands in for a lossy link, where the kernel has none to offer (netem): a process that copies
// frames between the two ends of each cable and loses some. A seed decides which of a direction's
// frames are lost, by their numbers.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <vector>

#include "session/bootstrap/socket_fd.hpp"

namespace oriel::testing {

// The two ends of a cable: packet sockets, each of which takes and sends an interface's frames.
using cable_ends = std::array<sessions::socket_fd, 2>;

// A packet socket on the interface `name`. Throws errc::system. Requires: this thread is in the
// interface's network namespace.
sessions::socket_fd open_end(const char* name);

// The frames of an interface leave it as they would leave a card: of the link's size, with their
// checksums. Throws errc::system. Requires: as above.
void send_plain_frames(const char* name);

class lossy_cables {
 public:
  // Starts the process, which loses nothing yet. It ends with this object, or with the process that
  // holds it, however that ends. Throws errc::system. Requires: one thread, 0 <= loss <= 1.
  lossy_cables(std::vector<cable_ends> cables, double loss, std::uint64_t seed);
  // Ends the process, which prints how many frames it has passed on and lost.
  ~lossy_cables();
  lossy_cables(const lossy_cables&) = delete;
  lossy_cables& operator=(const lossy_cables&) = delete;

  // From now on every cable loses `loss` of its frames, or none.
  void lose(bool some) const;
  // From now on the cable loses everything, or again only what the seed says.
  void fall_silent(int cable, bool silent) const;

 private:
  void send(int cable, bool begins) const;

  sessions::socket_fd orders_;
  pid_t process_ = -1;
};

}  // namespace oriel::testing
