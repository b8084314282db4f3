// Whether ranks of other nodes still run, told by the kernels: every rank listens on a TCP socket
// that it never reads. A watcher connects to it, and the peer's kernel completes the connection by
// itself; when the process ends, however it ends, that kernel resets the connection, and when the
// host is cut off, this kernel's keepalive gives the connection up. Nobody's help is needed, no
// byte is read, and no thread runs.
//
// A rank that closes its session in order says so with one byte to those who watch it. It may leave
// while others are still on their way out of the last thing they did together, so it counts as gone
// only after `grace`; so does one that refuses connections, since nobody knows how it ended.
//
// Connections are made when a wait becomes long; beyond `most_watched`, the one that was looked at
// least recently is closed again. Those of watchers who have hung up are cleared away in turn, so
// that the queue of the listening socket does not fill: a full one looks like a host that is cut
// off.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "session/bootstrap.hpp"
#include "session/socket_fd.hpp"

namespace oriel::boot {

class liveness {
 public:
  static constexpr std::size_t most_watched = 64;
  // A host that is cut off is noticed within about this time of the first look.
  static constexpr std::chrono::seconds cut_off_after{6};
  static constexpr std::chrono::milliseconds grace{2000};

  // Collective over the job: exchanges where each rank listens. Throws system when this process
  // cannot listen.
  explicit liveness(bootstrap&);

  // What is known; no system call.
  [[nodiscard]] bool alive(int r) const noexcept;
  // Looks: a few system calls. The first look of a rank begins to watch it. False when it has
  // died.
  bool look(int r) noexcept;
  // Learned otherwise. True when it is news.
  bool note_dead(int r) noexcept;
  void note_left(int r) noexcept;
  // Tells those who watch this rank, and lets nobody watch it any more.
  void leave() noexcept;

 private:
  struct watched {
    socket_fd fd;
    bool connected = false;
    int refusals = 0;
    std::chrono::steady_clock::time_point since;
    std::uint64_t looked = 0;  // when, on `looks_`
  };
  // Milliseconds of the steady clock at which the rank was known to leave; the extremes below.
  static constexpr std::int64_t here = 0;
  static constexpr std::int64_t dead = 1;
  void begin(int r, watched&) noexcept;
  void refused(int r, watched&) noexcept;
  bool still_there(int r, watched&) noexcept;
  void forget_the_least_recent() noexcept;
  void receive_watchers();

  socket_fd listening_;
  std::vector<std::string> addresses_;  // sockaddr bytes, by rank; empty when it does not listen
  std::vector<std::atomic<std::int64_t>> state_;  // by rank
  std::mutex mutex_;
  std::map<int, watched> watched_;
  std::uint64_t looks_ = 0;
  std::vector<socket_fd> watchers_;  // of this rank; what is not here waits in the kernel
};

}  // namespace oriel::boot
