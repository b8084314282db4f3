// Where each rank runs.
#pragma once

#include <string>
#include <vector>

namespace oriel::tools {

struct rank_placement {
  int processor = -1;   // to be bound to, if any
  int network = -1;     // descriptor of the network namespace to enter, if any
  std::string node_id;  // its ORIEL_NODE_ID; empty: as the launcher's environment has it
};

enum class binding { automatic, core, none };

// Places on this machine. `automatic` binds each rank to a core when there are enough cores. More
// than one node are pretended ones, which divide the ranks in rank order as evenly as they can.
// Requires: 1 <= nodes <= ranks.
std::vector<rank_placement> places_here(int ranks, binding bind, int nodes);

}  // namespace oriel::tools
