// Whether small operations to memory that is not mapped here gather in packets
// (window_options::aggregate), and how much memory packets may take.
#pragma once

#include <cstddef>

#include "oriel/info.hpp"

namespace oriel::sessions {

// By the hint oriel_aggregate, else by ORIEL_AGGREGATE, else false. Throws info or arg for a value
// that is none of theirs.
bool aggregates(const info&);

// ORIEL_AGGREGATE_BYTES, of each window on this process. Throws arg.
std::size_t aggregate_bytes();

}  // namespace oriel::sessions
