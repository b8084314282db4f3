// How the ranks of a job find each other: a TCP star with rank 0 in the middle, used while a
// session opens.
//
// Whoever connects must present the job's secret, a rank that is free and the job's size; anything
// else is refused and the waiting goes on. Every call ends within the job's time-out.
#pragma once

#include <string>
#include <vector>

#include "session/bootstrap.hpp"
#include "session/socket_fd.hpp"

namespace oriel::boot {

class rendezvous final : public bootstrap {
 public:
  // Collective over the job. Throws timed_out, on every rank that did appear, naming those that did
  // not; arg when this rank is refused (wrong secret, rank taken, other size); system.
  explicit rendezvous(const job_description& job);

  [[nodiscard]] int rank() const noexcept override { return job_.rank; }
  [[nodiscard]] int size() const noexcept override { return job_.size; }
  std::vector<std::string> allgather(const std::string& mine) override;

 private:
  void gather_as_root();
  void join_root();

  job_description job_;
  std::vector<socket_fd> peers_;  // on rank 0, by rank
  socket_fd root_;                // elsewhere
};

}  // namespace oriel::boot
