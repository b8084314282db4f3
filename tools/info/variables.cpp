#include "tools/info/variables.hpp"

#include <array>

namespace oriel::tools {

std::span<const variable_entry> variables() {
  static constexpr std::array table{
      variable_entry{"ORIEL_RANK", "", "this process's rank; ORIEL_SIZE and ORIEL_ROOT go with it"},
      variable_entry{"ORIEL_SIZE", "", "how many ranks the job has"},
      variable_entry{"ORIEL_ROOT", "", "host:port, where rank 0 listens and the others connect"},
      variable_entry{"ORIEL_ROOT_FD", "", "rank 0: a socket that listens at ORIEL_ROOT already"},
      variable_entry{"ORIEL_JOB_SECRET", "", "what every rank must know, and proves that it does",
                     true},
      variable_entry{"ORIEL_TIMEOUT", "60",
                     "seconds to wait for ranks while a session opens; when set, in every later "
                     "wait too"},
      variable_entry{
          "ORIEL_CHECK", "0",
          "1 checks every operation, abort ends the job at the first misuse (docs/CHECKING.md)"},
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
                     "when a notification leaves for another node: behind, or arrival"},
      variable_entry{"ORIEL_FABRIC_WAIT", "sleep",
                     "sleep, or poll: waits for other nodes never sleep, which is faster and "
                     "keeps the processor busy"},
      variable_entry{"ORIEL_CONTEXTS", "1",
                     "endpoints of a process, among which its threads are divided for reads and "
                     "writes of other nodes' memory"},
      variable_entry{"ORIEL_AGGREGATE", "0",
                     "1: small operations to other nodes gather in packets, in windows that do not "
                     "say otherwise"},
      variable_entry{"ORIEL_AGGREGATE_BYTES", "33554432",
                     "how much memory a process takes for the packets of one window"},
      variable_entry{"ORIEL_MOVE_PRIVATE", "0",
                     "1: private memory that is given to create or attached is moved into the "
                     "node's memory where it can be"},
      variable_entry{"ORIEL_WITHOUT", "",
                     "assertions that this rank shall not provide, and cma, separated by commas"},
      variable_entry{"PMIX_NAMESPACE", "", "the job, as a PMIx launcher names it"},
      variable_entry{"PMIX_RANK", "", "this process's rank, from a PMIx launcher"},
      variable_entry{"PMI_RANK", "", "this process's rank, from a PMI-1 launcher"},
      variable_entry{"PMI_SIZE", "", "how many ranks the job has, from a PMI-1 launcher"},
      variable_entry{"PMI_FD", "", "the socket to a PMI-1 launcher"},
      variable_entry{"PMI_PORT", "", "where a PMI-1 launcher listens, which is not supported"},
  };
  return table;
}

}  // namespace oriel::tools
