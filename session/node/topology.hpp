// The topology of this machine, through hwloc where the build has it. Loaded on demand: it takes
// milliseconds, and nothing on a window's path needs it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace oriel::sessions {

struct topology {
  int cores = 1;       // that this process may use
  int processors = 1;  // hardware threads, likewise
  int numa_nodes = 1;
  std::vector<int> first_processor;  // of each core, by operating-system index
  std::string summary;               // "2 cores, 2 processors, 1 NUMA node"
};

// Throws errc::system when the machine cannot be read.
topology read_topology();

// A process that a drawing of the machine is to show, and the processors that it may use, by
// operating-system index.
struct placed_process {
  std::string name;
  std::vector<int> processors;
};

// hwloc's XML of what read_topology() reads, with the important devices, and each of `processes` at
// the smallest part that holds all its processors. Throws errc::system when
// the machine cannot be read, or by hwloc not in this build.
std::string topology_xml(const std::vector<placed_process>& processes);

// How many levels of the machine lie between a PCI device and where this process runs: 0 is
// nearest.
inline constexpr int unknown_distance = 1 << 20;
int distance_to_pci(unsigned domain, unsigned bus, unsigned device, unsigned function);

}  // namespace oriel::sessions
