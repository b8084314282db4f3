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

handle load(hwloc_type_filter_e devices = HWLOC_TYPE_FILTER_KEEP_NONE,
            hwloc_type_filter_e processes = HWLOC_TYPE_FILTER_KEEP_NONE) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  handle t(raw);
  hwloc_topology_set_io_types_filter(raw, devices);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MISC, processes);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return t;
}

using bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

// lstopo draws these objects, in colours that it takes from their information.
void place(hwloc_topology_t t, const placed_process& process) {
  const bitmap processors(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  for (const int p : process.processors)
    hwloc_bitmap_set(processors.get(), static_cast<unsigned>(p));
  hwloc_bitmap_and(processors.get(), processors.get(), hwloc_topology_get_topology_cpuset(t));
  hwloc_obj_t where = hwloc_get_obj_covering_cpuset(t, processors.get());
  if (where == nullptr) where = hwloc_get_root_obj(t);
  if (hwloc_obj_t shown = hwloc_topology_insert_misc_object(t, where, process.name.c_str()))
    hwloc_obj_add_info(shown, "lstopoStyle", "Background=#bcd6ff;Text=#000000");
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

std::string topology_xml(const std::vector<placed_process>& processes) {
  const handle t = load(HWLOC_TYPE_FILTER_KEEP_IMPORTANT, HWLOC_TYPE_FILTER_KEEP_ALL);
  if (t == nullptr) throw error(errc::system, "hwloc cannot read this machine's topology");
  for (const placed_process& process : processes) place(t.get(), process);
  char* text = nullptr;
  int length = 0;
  if (hwloc_topology_export_xmlbuffer(t.get(), &text, &length, 0) != 0)
    throw error(errc::system, "hwloc cannot describe this machine's topology");
  std::string xml(text, static_cast<std::size_t>(std::max(length - 1, 0)));  // without the 0
  hwloc_free_xmlbuffer(t.get(), text);
  return xml;
}

int distance_to_pci(unsigned domain, unsigned bus, unsigned device, unsigned function) {
  const handle t = load(HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (t == nullptr) return unknown_distance;
  const hwloc_obj_t found = hwloc_get_pcidev_by_busid(t.get(), domain, bus, device, function);
  if (found == nullptr) return unknown_distance;
  // Up from the device until an object holds this process's processors: the fewer steps the nearer.
  const bitmap mine(hwloc_bitmap_alloc(), hwloc_bitmap_free);
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
