#include "session/bootstrap/known_variables.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

namespace oriel::sessions {

std::span<const variable_entry> known_variables() {
  static constexpr std::array table{
      variable_entry{"ORIEL_RANK", "", "this process's rank; ORIEL_SIZE and ORIEL_ROOT go with it"},
      variable_entry{"ORIEL_SIZE", "", "how many ranks the job has"},
      variable_entry{"ORIEL_ROOT", "", "host:port, where rank 0 listens and the others connect"},
      variable_entry{"ORIEL_PARENT", "",
                     "host:port, where the rank listens that this one joins in a job of more than "
                     "16; without it all join rank 0"},
      variable_entry{"ORIEL_ROOT_FD", "",
                     "a socket that listens already: of rank 0, and beside ORIEL_PARENT of each "
                     "rank that others join"},
      variable_entry{"ORIEL_JOB_SECRET", "", "what every rank must know, and proves that it does",
                     true},
      variable_entry{"ORIEL_TIMEOUT", "60",
                     "seconds to wait for ranks while a session opens; when set, in every later "
                     "wait too"},
      variable_entry{"ORIEL_CHECK", "0",
                     "1 checks every operation, abort ends the job at the first misuse, pages "
                     "checks loads and stores of MPI programs, too (docs/CHECKING.md)"},
      variable_entry{"ORIEL_ADVERSARY", "0",
                     "a seed: operations take effect as late, and in as strange an order, as they "
                     "may (docs/CHECKING.md)"},
      variable_entry{"ORIEL_MEMORY_ALLOC_KINDS", "mpi,system",
                     "kinds of memory that sessions request, unless their info says otherwise"},
      variable_entry{"ORIEL_NODE_ID", "the machine's own",
                     "ranks with the same value share a node"},
      variable_entry{"ORIEL_INTERFACE", "the first that is up and not loopback",
                     "the network interface by whose address ranks of other nodes watch whether "
                     "this one lives, and which providers over sockets use"},
      variable_entry{"ORIEL_FABRIC",
                     "the first of cxi, efa, verbs;ofi_rxm, psm3, opx, tcp;ofi_rxm that every "
                     "rank has",
                     "libfabric providers to choose from, best first, separated by commas"},
      variable_entry{"ORIEL_FABRIC_FLUSH", "found out when a session opens",
                     "how a put is made complete at its target: delivery, read or acknowledge"},
      variable_entry{"ORIEL_FABRIC_NOTIFY", "what the provider promises",
                     "how a notification leaves for another node: data, behind, or arrival"},
      variable_entry{"ORIEL_FABRIC_WAIT", "sleep",
                     "sleep, or poll: waits for other nodes never sleep, which is faster and "
                     "keeps the processor busy"},
      variable_entry{
          "ORIEL_FABRIC_LANES", "1",
          "1: over tcp short messages to other nodes, and long ones of layouts, are written into "
          "their receivers' memory; 0: they are sent"},
      variable_entry{"ORIEL_CONTEXTS", "1",
                     "endpoints of a process, among which its threads are divided for reads and "
                     "writes of other nodes' memory"},
      variable_entry{"ORIEL_AGGREGATE", "0",
                     "1: small operations to other nodes, and to private memory of this one, "
                     "gather in packets, in windows that do not say otherwise"},
      variable_entry{"ORIEL_AGGREGATE_BYTES", "33554432",
                     "how much memory a process takes for the packets of one window"},
      variable_entry{"ORIEL_MOVE_PRIVATE", "0",
                     "1: private memory that is given to create or attached is moved into the "
                     "node's memory where it can be"},
      variable_entry{"ORIEL_HUGE_PAGES", "1",
                     "0: no huge pages are requested for windows, which have those alone that the "
                     "system gives unasked"},
      variable_entry{"ORIEL_COUNT", "1",
                     "0: what a window's operations do to single elements on mapped memory is not "
                     "counted (docs/STATISTICS.md)"},
      variable_entry{"ORIEL_STATS", "",
                     "a file to which each rank adds what its windows have counted, as they are "
                     "freed and as the session ends (docs/STATISTICS.md)"},
      variable_entry{"ORIEL_TRACE", "",
                     "a folder in which each rank notes what its windows are called for, and when "
                     "(docs/TRACING.md)"},
      variable_entry{"ORIEL_TRACE_EVENTS", "262144",
                     "how many events of a rank's trace stay, 48 bytes each"},
      variable_entry{"ORIEL_WITHOUT", "",
                     "assertions that this rank shall not provide, and cma, separated by commas"},
      variable_entry{"PMIX_NAMESPACE", "", "the job, as a PMIx launcher names it"},
      variable_entry{"PMIX_RANK", "", "this process's rank, from a PMIx launcher"},
      variable_entry{"PMI_RANK", "", "this process's rank, from a PMI-1 launcher"},
      variable_entry{"PMI_SIZE", "", "how many ranks the job has, from a PMI-1 launcher"},
      variable_entry{"PMI_FD", "", "the socket to a PMI-1 launcher"},
      variable_entry{"PMI_PORT", "", "where a PMI-1 launcher listens, which is not supported"},
      variable_entry{"SHMEM_SYMMETRIC_SIZE", "512M, or less where the node has less",
                     "bytes of a PE's symmetric heap, in OpenSHMEM programs (docs/SHMEM.md)"},
      variable_entry{"SHMEM_VERSION", "", "set: OpenSHMEM programs print their version"},
      variable_entry{"SHMEM_INFO", "",
                     "set: OpenSHMEM programs print what they take from variables"},
  };
  return table;
}

namespace {

// What the MPI face reads.
constexpr std::array<std::string_view, 2> read_elsewhere{"ORIEL_EXPLAIN", "ORIEL_MPI"};

// How many letters have to be changed, put in or left out to make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> unknown_variables(const char* const* environment) {
  std::vector<std::string_view> known(read_elsewhere.begin(), read_elsewhere.end());
  for (const variable_entry& v : known_variables())
    if (v.name.starts_with("ORIEL_")) known.push_back(v.name);
  std::vector<std::string> sentences;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const std::string_view name = entry.substr(0, entry.find('='));
    if (!name.starts_with("ORIEL_") || name.starts_with("ORIEL_TEST_") ||
        std::find(known.begin(), known.end(), name) != known.end())
      continue;
    const auto nearest = *std::min_element(known.begin(), known.end(),
                                           [name](std::string_view a, std::string_view b) {
                                             return distance(name, a) < distance(name, b);
                                           });
    sentences.push_back(std::string(name) + " is set, and nothing reads a variable of that name; " +
                        "the nearest is " + std::string(nearest) +
                        " (oriel-info --environment lists all)");
  }
  return sentences;
}

}  // namespace oriel::sessions
