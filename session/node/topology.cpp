#include "session/node/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "oriel/errc.hpp"

namespace oriel::sessions {
namespace {

struct destroy {
  void operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }
};
using handle = std::unique_ptr<hwloc_topology, destroy>;

handle load(hwloc_type_filter_e devices = HWLOC_TYPE_FILTER_KEEP_NONE) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  handle t(raw);
  hwloc_topology_set_io_types_filter(raw, devices);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return t;
}

std::string counted(int n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

topology read_topology() {
  const handle t = load();
  if (t == nullptr) throw error(errc::system, "hwloc cannot read this machine's topology");
  topology found;
  const int cores = hwloc_get_nbobjs_by_type(t.get(), HWLOC_OBJ_CORE);
  for (int i = 0; i < cores; ++i) {
    const hwloc_obj_t core =
        hwloc_get_obj_by_type(t.get(), HWLOC_OBJ_CORE, static_cast<unsigned>(i));
    if (const int first = hwloc_bitmap_first(core->cpuset); first >= 0)
      found.first_processor.push_back(first);
  }
  found.cores = std::max<int>(1, static_cast<int>(found.first_processor.size()));
  found.processors = std::max(1, hwloc_get_nbobjs_by_type(t.get(), HWLOC_OBJ_PU));
  found.numa_nodes = std::max(1, hwloc_get_nbobjs_by_type(t.get(), HWLOC_OBJ_NUMANODE));
  found.summary = counted(found.cores, "core") + ", " + counted(found.processors, "processor") +
                  ", " + counted(found.numa_nodes, "NUMA node");
  return found;
}

int distance_to_pci(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  const handle t = load(HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (t == nullptr) return unknown_distance;
  const hwloc_obj_t found = hwloc_get_pcidev_by_busid(t.get(), domain, bus, device, function);
  if (found == nullptr) return unknown_distance;
  // Up from the device until an object holds this process's processors: the fewer steps the nearer.
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> mine(hwloc_bitmap_alloc(),
                                                                           hwloc_bitmap_free);
  hwloc_get_last_cpu_location(t.get(), mine.get(), HWLOC_CPUBIND_PROCESS);
  int steps = 0;
  for (hwloc_obj_t o = hwloc_get_non_io_ancestor_obj(t.get(), found); o != nullptr; o = o->parent)
    if (hwloc_bitmap_isincluded(mine.get(), o->cpuset) != 0)
      return steps;
    else
      ++steps;
  return unknown_distance;
}

}  // namespace oriel::sessions
