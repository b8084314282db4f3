// The least that oriel's net rows need: of raw libfabric, and for many small operations and layouts
// of plain sockets.
#pragma once

#include "bench/limits/net/endpoint.hpp"

namespace bench::net {

// Two processes.
void transfer_rows(processes&, endpoint&, const arguments&);
void element_rows(processes&, const arguments&);
void layout_rows(processes&, const arguments&);
// Pairs, all at once.
void round_trip_row(processes&, endpoint&, const arguments&);
// Four.
void fence_row(processes&, endpoint&, const arguments&);

}  // namespace bench::net
