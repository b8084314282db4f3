// A process's connection to a PMI-1 process manager: requests and answers, one line each.
//
// A process manager accepts one `init` and one `finalize` from a process, and closes the connection
// after the second; so a connection serves every session that the process opens, and finalizes when
// it is destroyed. Not for several threads at once. Every call but the destructor throws timed_out
// at its deadline and peer_failed for a malformed answer; after either, an answer could belong to
// an older request, so every later call fails.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/pmi_message.hpp"
#include "session/bootstrap/rendezvous.hpp"

namespace oriel::sessions {

class pmi_connection {
 public:
  // `fd`: a stream socket, closed at last unless this throws. Throws arg when it is no such thing.
  pmi_connection(int fd, int rank, deadline until);
  ~pmi_connection();
  pmi_connection(const pmi_connection&) = delete;
  pmi_connection& operator=(const pmi_connection&) = delete;

  void put(const std::string& key, std::string_view value, deadline until);
  // What some rank put before the last barrier.
  std::string get(const std::string& key, deadline until);
  // Collective over the job.
  void barrier(deadline until);

  // In characters, under keys of at most 48.
  [[nodiscard]] std::size_t longest_value() const noexcept { return longest_value_; }
  // A number that no earlier call gave, and that the same call gives on every rank: keys stay with
  // the process manager, so they must never repeat.
  std::uint64_t next_round() noexcept { return round_++; }

 private:
  [[nodiscard]] std::string put_request(std::string_view key, std::string_view value) const;
  pmi_message ask(const std::string& request, std::string_view answer, deadline until);
  io_result receive_line(std::string& line, deadline until);
  [[noreturn]] void give_up(errc code, const std::string& what);
  [[noreturn]] void misunderstood(const std::string& request, std::string_view line);

  int fd_;
  int rank_;
  pid_t owner_;
  std::string name_space_;
  std::size_t longest_value_ = 0;
  std::uint64_t round_ = 0;
  std::string pending_;   // received, and not yet a whole line
  std::string given_up_;  // why; empty while all is well
};

}  // namespace oriel::sessions
