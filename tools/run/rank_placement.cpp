#include "tools/run/rank_placement.hpp"

#include <unistd.h>

#include <cstddef>

#include "session/node/topology.hpp"

namespace oriel::tools {
namespace {

void bind_to_cores(std::vector<rank_placement>& places, binding bind) {
  if (bind == binding::none) return;
  const sessions::topology machine = sessions::read_topology();
  const std::vector<int>& processors = machine.first_processor;
  if (processors.empty()) return;
  if (bind == binding::automatic && places.size() > static_cast<std::size_t>(machine.cores)) return;
  for (std::size_t r = 0; r < places.size(); ++r)
    places[r].processor = processors[r % processors.size()];
}

}  // namespace

std::vector<rank_placement> places_here(int ranks, binding bind, int nodes) {
  std::vector<rank_placement> places(static_cast<std::size_t>(ranks));
  bind_to_cores(places, bind);
  if (nodes == 1) return places;
  // The launcher's number keeps the nodes of two jobs on one machine apart.
  const std::string job = std::to_string(getpid());
  for (std::size_t r = 0; r < places.size(); ++r)
    places[r].node_id =
        "node" + std::to_string(r * static_cast<std::size_t>(nodes) / places.size()) + "-" + job;
  return places;
}

}  // namespace oriel::tools
