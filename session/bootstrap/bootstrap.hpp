// The first exchange among the ranks of a job, before they share memory or a fabric: what a
// launcher provides. Used only while a session opens.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "oriel/session.hpp"
#include "session/bootstrap/environment.hpp"

namespace oriel::sessions {

class bootstrap {
 public:
  virtual ~bootstrap() = default;
  [[nodiscard]] virtual int rank() const noexcept = 0;
  [[nodiscard]] virtual int size() const noexcept = 0;
  // Collective: every rank's bytes, in rank order. Throws peer_failed when a rank has gone,
  // timed_out when one does not answer within the job's time-out.
  virtual std::vector<std::string> allgather(const std::string& mine) = 0;
};

// The first of these that is there: callbacks given by the program, ORIEL_RANK and its companions,
// a launcher's own protocol; else this process is a job of one. Throws as the one chosen does.
std::unique_ptr<bootstrap> join_job(const job_description&, const session_options&);

}  // namespace oriel::sessions
