// A process's connection to its PMIx server.
//
// A server may count a client that leaves and connects again as gone from the collective calls of
// the others (Open MPI 4.1 does); so a connection serves every session that the process opens, and
// leaves when it is destroyed. Not for several threads at once.
#pragma once

#include <pmix.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "session/bootstrap/pmix_library.hpp"

namespace oriel::sessions {

class pmix_client {
 public:
  // Requires: PMIX_NAMESPACE and PMIX_RANK are set. Throws system when libpmix is missing or
  // refuses to start, peer_failed when the server gives no job.
  explicit pmix_client(std::chrono::milliseconds timeout);
  ~pmix_client();
  pmix_client(const pmix_client&) = delete;
  pmix_client& operator=(const pmix_client&) = delete;

  [[nodiscard]] int rank() const noexcept { return static_cast<int>(me_.rank); }
  [[nodiscard]] int size() const noexcept { return size_; }

  // The three steps of a round. `share` is collective: every rank's bytes, to be fetched by all.
  // Each throws timed_out when a rank does not take part in time, peer_failed when one has gone.
  void share(const std::string& bytes, std::chrono::milliseconds timeout) const;
  [[nodiscard]] std::string fetch(int rank, std::chrono::milliseconds timeout) const;
  // The keys of a round that failed are used again, so that ranks which failed one by one are in
  // step.
  void finish_round() noexcept { ++round_; }

 private:
  struct release {
    void operator()(pmix_value_t* v) const noexcept;
  };
  using value = std::unique_ptr<pmix_value_t, release>;

  [[nodiscard]] int job_size(std::chrono::milliseconds timeout) const;
  [[nodiscard]] std::string key() const { return "oriel." + std::to_string(round_); }
  [[nodiscard]] value get(pmix_rank_t, const std::string& key, std::chrono::milliseconds) const;
  [[nodiscard]] pmix_proc_t process(pmix_rank_t rank) const noexcept;
  void check(pmix_status_t, const std::string& what, std::chrono::milliseconds) const;
  void leave() noexcept;

  pmix_library calls_;
  pid_t owner_;
  pmix_proc_t me_{};
  int size_ = 0;
  // Of keys: servers keep what was put, and may answer a key that is put twice with its old value.
  std::uint64_t round_ = 0;
};

}  // namespace oriel::sessions
