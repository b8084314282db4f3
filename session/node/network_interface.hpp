// Which network interface a rank uses to reach other nodes: ORIEL_INTERFACE names one, or several,
// over which the ranks of a node are spread.
#pragma once

#include <string>
#include <vector>

namespace oriel::sessions {

// Returns ORIEL_INTERFACE, split at commas; empty where it is not set.
std::vector<std::string> named_interfaces();

// What a rank announces of those that it names. Throws errc::arg where several are and this host
// has no interface of such a name.
std::string announce_interfaces(const std::vector<std::string>& named);

// Returns which one this rank uses, of what all have announced, by rank; empty where it has named
// none. Where several are named, the places in the list count at which every rank has an interface
// that is up, and the ranks of a node take these in turn; rank 0 prints which are left out. Then it
// throws, the same on all ranks: errc::arg where some name more than others; errc::system where
// none is up on every rank.
std::string choose_interface(const std::vector<std::string>& announced, int rank, int node_rank);

}  // namespace oriel::sessions
