// The results of --mpi: each MPI in its default configuration beside the same program with oriel
// preloaded, with the project's aims for the ratio.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/driver/samples.hpp"

namespace bench {

struct mpi_row {
  row_key key;
  std::string host;  // "openmpi", "openmpi-sm" or "mpich"
  std::optional<timing> host_time, oriel;
  std::string host_failure, oriel_failure;  // empty: none
  double wanted = 0;                        // the aim for the ratio; 0: none

  // How many times faster the program is with oriel.
  [[nodiscard]] std::optional<double> ratio() const {
    if (!host_time || !oriel) return std::nullopt;
    return host_time->middle / oriel->middle;
  }
  // Empty where there is no aim. A case that oriel cannot finish has not met it.
  [[nodiscard]] std::optional<bool> met() const {
    if (wanted == 0 || (!ratio() && oriel_failure.empty())) return std::nullopt;
    return ratio() && *ratio() >= wanted;
  }
};

// Of the measurements of each program ("mpich", "mpich+oriel", …): a row for each MPI and case.
// Open MPI's row is that of its component `sm` in cases that it cannot finish without.
std::vector<mpi_row> join_hosts(const std::map<std::string, samples>& measured,
                                const std::map<std::string, std::string>& failures);
std::string print_table(const std::vector<mpi_row>&);

}  // namespace bench
