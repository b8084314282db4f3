// In the place of topology.cpp in a build with ORIEL_WITH_HWLOC=OFF: what Linux's files state.
// Cores that this process may not use are left out; the places of PCI devices are not read.
#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#include "oriel/errc.hpp"
#include "session/node/topology.hpp"

namespace oriel::sessions {
namespace {

std::string counted(int n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

int number_in(const std::filesystem::path& file, int otherwise) {
  int n = otherwise;
  std::ifstream(file) >> n;
  return n;
}

std::vector<int> usable_processors() {
  std::vector<int> found;
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &mine)) found.push_back(i);
  if (found.empty())  // more processors than the set holds, or no such call
    for (int i = 0; i < static_cast<int>(std::thread::hardware_concurrency()); ++i)
      found.push_back(i);
  return found;
}

int memory_nodes() {
  int nodes = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", none)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("node") && name.find_first_not_of("0123456789", 4) == std::string::npos)
      ++nodes;
  }
  return std::max(1, nodes);
}

}  // namespace

topology read_topology() {
  topology found;
  std::set<std::pair<int, int>> cores;  // package, core
  const std::vector<int> processors = usable_processors();
  for (const int p : processors) {
    const std::filesystem::path about =
        "/sys/devices/system/cpu/cpu" + std::to_string(p) + "/topology";
    // Without the files every processor counts as a core.
    const std::pair core{number_in(about / "physical_package_id", 0),
                         number_in(about / "core_id", p)};
    if (cores.insert(core).second) found.first_processor.push_back(p);
  }
  found.cores = std::max<int>(1, static_cast<int>(cores.size()));
  found.processors = std::max<int>(1, static_cast<int>(processors.size()));
  found.numa_nodes = memory_nodes();
  found.summary = counted(found.cores, "core") + ", " + counted(found.processors, "processor") +
                  ", " + counted(found.numa_nodes, "NUMA node");
  return found;
}

std::string topology_xml(const std::vector<placed_process>&) {
  throw error(errc::system, "this build of oriel is without hwloc, which describes the machine");
}

int distance_to_pci(unsigned, unsigned, unsigned, unsigned) {
  return unknown_distance;
}

}  // namespace oriel::sessions
