// Which network interface a rank uses to reach other nodes: ORIEL_INTERFACE names one, or several,
// over which the ranks of a node are spread.
#pragma once

#include <string>
#include <vector>

#include "session/bootstrap/bootstrap.hpp"

namespace oriel::sessions {

// Returns ORIEL_INTERFACE, split at commas; empty where it is not set.
std::vector<std::string> named_interfaces();

// Collective over the job. Returns the one of `named` that this rank uses, empty where there is
// none. Where several are named, the places in the list count at which every rank has an interface
// that is up, and the ranks of a node take these in turn, by `node_rank`; rank 0 prints which are
// left out. Then it throws, the same on all ranks: errc::arg where a host has no interface of such
// a name, or some ranks name more than others; errc::system where none is up on every rank.
std::string choose_interface(bootstrap&, const std::vector<std::string>& named, int node_rank);

}  // namespace oriel::sessions
