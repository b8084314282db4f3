#include "session/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <memory>

#include "oriel/errc.hpp"

namespace oriel::boot {
namespace {

struct destroy {
  void operator()(hwloc_topology* t) const noexcept { hwloc_topology_destroy(t); }
};
using handle = std::unique_ptr<hwloc_topology, destroy>;

handle load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  handle t(raw);
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

bool bind_to_processor(int processor) noexcept {
  const handle t = load();
  if (t == nullptr) return false;
  const std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)> set(hwloc_bitmap_alloc(),
                                                                          hwloc_bitmap_free);
  return hwloc_bitmap_only(set.get(), static_cast<unsigned>(processor)) == 0 &&
         hwloc_set_cpubind(t.get(), set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace oriel::boot
