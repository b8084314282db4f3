// What a provider does, as opposed to what it claims.
#pragma once

#include <chrono>

#include "transport/libfabric.hpp"

namespace oriel::transport {

// Collective over the job: the lowest rank of each node writes to that of the next. The first rung
// of the ladder that made a write arrive at a target before it was reported complete; on ranks that
// do not take part, the first. ORIEL_FABRIC_FLUSH (delivery, read, acknowledge) is taken at its
// word. Throws errc::timed_out when a node cannot be reached, errc::arg for another word.
completion probe_completion(libfabric&, sessions::job&, std::chrono::milliseconds timeout);

// Collective likewise. How this rank may notify: as its provider promises, completion data where
// they came too; no better than ORIEL_FABRIC_NOTIFY (data, behind, arrival) says. Throws as the
// other.
notice_way probe_notices(libfabric&, sessions::job&, std::chrono::milliseconds timeout);

}  // namespace oriel::transport
