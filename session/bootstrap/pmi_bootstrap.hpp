// A job that a PMI-1 process manager started: MPICH's hydra, and those that implement its protocol.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/bootstrap/bootstrap.hpp"
#include "session/bootstrap/pmi_connection.hpp"

namespace oriel::sessions {

struct pmi_process {
  int rank = 0;
  int size = 1;
  int fd = -1;
};

// PMI_RANK, PMI_SIZE and PMI_FD; nothing when no such process manager started this process. Throws
// arg naming the variable that is missing or malformed.
std::optional<pmi_process> read_pmi_environment();

class pmi_bootstrap final : public bootstrap {
 public:
  // Keeps a reference to `manager`, which must be connected for the same rank.
  pmi_bootstrap(pmi_connection& manager, pmi_process self, std::chrono::milliseconds timeout)
      : manager_(&manager), self_(self), timeout_(timeout) {}

  [[nodiscard]] int rank() const noexcept override { return self_.rank; }
  [[nodiscard]] int size() const noexcept override { return self_.size; }
  std::vector<std::string> allgather(const std::string& mine) override;

 private:
  std::string part_of(int r, const std::string& round, deadline until);

  pmi_connection* manager_;
  pmi_process self_;
  std::chrono::milliseconds timeout_;
};

// Through this process's one connection, which is made at the first call.
std::unique_ptr<bootstrap> join_pmi(const pmi_process&, std::chrono::milliseconds timeout);

}  // namespace oriel::sessions
