// Which network interfaces a rank uses to reach other nodes: ORIEL_INTERFACE names one, or several,
// each of which is a rail of the job's: a network that all ranks are on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace oriel::sessions {

// Returns ORIEL_INTERFACE, split at commas; empty where it is not set.
std::vector<std::string> named_interfaces();

// What a rank announces of those that it names; of which the k-th counts as down where bit k of
// `given_up` is set. Throws errc::arg where several are and this host has no interface of such a
// name.
std::string announce_interfaces(const std::vector<std::string>& named, std::uint32_t given_up = 0);

// Prints, on rank 0, which of those that it uses have been given up; nothing where none has.
void report_given_up(const std::vector<std::string>& used, std::uint32_t given_up, int rank);

// More names than that are an error.
inline constexpr std::size_t most_rails = 8;

// Returns which this rank uses, by rail, of what all have announced, by rank; an empty name where
// it has named none. Where several are named, the places in the list count at which every rank has
// an interface that is up; rank 0 prints which are left out. Then it throws, the same on all ranks:
// errc::arg where some name more than others, or more than most_rails; errc::system where none is
// up on every rank.
std::vector<std::string> choose_interfaces(const std::vector<std::string>& announced, int rank);

}  // namespace oriel::sessions
