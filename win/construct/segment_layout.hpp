// Where the segments of a node's ranks lie in the node's memory for one window.
#pragma once

#include <cstdint>
#include <vector>

#include "session/team/team_state.hpp"
#include "win/construct/agree.hpp"

namespace oriel::win {

// What memory of the host is mapped and registered with devices in.
inline constexpr std::uint64_t page = 4096;

struct segment_layout {
  std::vector<std::uint64_t> starts;  // by node rank
  std::uint64_t bytes = 0;            // of all
  std::uint64_t alignment = 64;
};

// The segments follow each other in rank order, unless a hint sets them apart. Memory of devices
// lies elsewhere and takes no room here. Throws errc::size when they exceed any memory.
segment_layout lay_out_segments(const agreement&, const detail::team_state&);

}  // namespace oriel::win
