// The rendezvous of the ranks of a job: a TCP star with rank 0 in the middle, used while a session
// opens.
//
// Ranks and rank 0 prove to each other that they know the job's secret (handshake.hpp); a rank that
// joins must then have a number that is free and the job's size. Anything else is refused, and rank
// 0 goes on waiting. Every call ends within twice the job's time-out, and a few seconds after a
// rank is no longer reached (keepalive.hpp), with the same error on all that are. What is gathered
// afterwards is neither encrypted nor signed (docs/SECURITY.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "session/bootstrap/bootstrap.hpp"
#include "session/bootstrap/framing.hpp"
#include "session/bootstrap/handshake.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {

class rendezvous final : public bootstrap {
 public:
  // Collective over the job. Throws timed_out, on every rank that did appear, with those that did
  // not; arg where this rank is refused (wrong secret, rank taken, other size), where the peer that
  // answers is not rank 0, and where there is a secret and this build has no proofs; system.
  explicit rendezvous(const job_description& job);

  [[nodiscard]] int rank() const noexcept override { return job_.rank; }
  [[nodiscard]] int size() const noexcept override { return job_.size; }
  std::vector<std::string> allgather(const std::string& mine) override;

 private:
  void gather_as_root();
  void join_root();
  // The two sides of allgather: rank 0's and the others'.
  std::vector<std::string> gather(const std::string& mine, deadline until);
  std::vector<std::string> contribute(const std::string& mine, deadline until);
  // The joiner's part of the handshake. False when the other end has closed the connection.
  bool introduce(deadline until);
  [[nodiscard]] answer hear_root(deadline until);
  // The bytes of an answer that must be of that kind; throws arg when it is another.
  [[nodiscard]] std::string expect(answer_kind, std::string_view bytes) const;
  [[noreturn]] void no_root_of_this_job() const;

  job_description job_;
  std::vector<socket_fd> peers_;  // on rank 0, by rank
  socket_fd root_;                // elsewhere
};

}  // namespace oriel::sessions
