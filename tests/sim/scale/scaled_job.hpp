// A job of pretended processes that open sessions on a machine of any number of nodes, and what
// each operation costs them: the table of docs/SCALING.md.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/sim/scale/machine_model.hpp"
#include "tests/sim/scale/meter.hpp"

namespace oriel::sim {

struct job_shape {
  int nodes = 2;
  int ranks_a_node = 1;
  int times = 3;  // that each operation is done
  // Of each node the leader alone runs, and the others are stood for (stand_ins.cpp).
  bool leaders_only = false;
  [[nodiscard]] int ranks() const noexcept { return nodes * ranks_a_node; }
  [[nodiscard]] int running() const noexcept { return leaders_only ? nodes : ranks(); }
  // From one that runs to the next.
  [[nodiscard]] int stride() const noexcept { return leaders_only ? ranks_a_node : 1; }
};

struct job_costs {
  std::vector<meter::row> rows;
  std::size_t gathers = 0;         // of the launcher's, to open a session
  std::size_t gathered_bytes = 0;  // that each rank receives by them
  double heap_bytes = 0;           // of a process that runs, once sessions are open
};

// Exits with a message where a call fails. One a process: it leaves behind what it has taken.
job_costs costs_of(const job_shape&, const machine_model&);

}  // namespace oriel::sim
