#include "mpi/performance_variables.hpp"

#include <vector>

namespace oriel::mpi {
namespace {

using variables = std::vector<performance_variable>;

void add_operations(variables& all) {
  for (std::size_t k = 0; k < operation_kinds; ++k) {
    const std::string kind(name(static_cast<operation_kind>(k)));
    all.push_back({"oriel_" + kind + "_operations",
                   "operations of the kind " + kind + " that this rank has begun on the window",
                   MPI_T_PVAR_CLASS_COUNTER,
                   [](const window_statistics& s, std::size_t which) noexcept {
                     return s.of(static_cast<operation_kind>(which)).operations;
                   },
                   k});
    all.push_back({"oriel_" + kind + "_bytes", "the bytes of these operations",
                   MPI_T_PVAR_CLASS_COUNTER,
                   [](const window_statistics& s, std::size_t which) noexcept {
                     return s.of(static_cast<operation_kind>(which)).bytes;
                   },
                   k});
  }
}

void add_waits(variables& all) {
  for (std::size_t c = 0; c < wait_causes; ++c) {
    const std::string cause(name(static_cast<wait_cause>(c)));
    all.push_back({"oriel_wait_" + cause, "how often this rank has waited on the window: " + cause,
                   MPI_T_PVAR_CLASS_COUNTER,
                   [](const window_statistics& s, std::size_t which) noexcept {
                     return s.waits[which].times;
                   },
                   c});
    all.push_back({"oriel_wait_" + cause + "_time", "how long, in nanoseconds",
                   MPI_T_PVAR_CLASS_TIMER,
                   [](const window_statistics& s, std::size_t which) noexcept {
                     return static_cast<std::uint64_t>(s.waits[which].time.count());
                   },
                   c});
  }
}

void add_messages(variables& all) {
  all.push_back({"oriel_messages",
                 "reads, writes and messages to other nodes of one operation each, or of a part",
                 MPI_T_PVAR_CLASS_COUNTER,
                 [](const window_statistics& s, std::size_t) noexcept { return s.messages; }, 0});
  all.push_back({"oriel_packets", "messages that carried many operations", MPI_T_PVAR_CLASS_COUNTER,
                 [](const window_statistics& s, std::size_t) noexcept { return s.packets; }, 0});
  all.push_back({"oriel_packed_operations", "the operations in these messages",
                 MPI_T_PVAR_CLASS_COUNTER,
                 [](const window_statistics& s, std::size_t) noexcept { return s.packed; }, 0});
}

void add_efforts(variables& all) {
  all.push_back({"oriel_retries",
                 "attempts at what the provider of the fabric had not taken, since it was busy",
                 MPI_T_PVAR_CLASS_COUNTER,
                 [](const window_statistics& s, std::size_t) noexcept { return s.retries; }, 0});
  all.push_back({"oriel_agent_wakes", "wakes of this process's agent, for all windows",
                 MPI_T_PVAR_CLASS_COUNTER,
                 [](const window_statistics& s, std::size_t) noexcept { return s.agent_wakes; },
                 0});
}

const variables& all_variables() {
  static const variables all = [] {
    variables made;
    add_operations(made);
    add_waits(made);
    add_messages(made);
    add_efforts(made);
    return made;
  }();
  return all;
}

}  // namespace

int variable_count() {
  return static_cast<int>(all_variables().size());
}

const performance_variable& variable(int i) {
  return all_variables()[static_cast<std::size_t>(i)];
}

int find_variable(const char* name, int var_class) {
  for (int i = 0; i < variable_count(); ++i)
    if (variable(i).name == name && variable(i).var_class == var_class) return i;
  return -1;
}

}  // namespace oriel::mpi
