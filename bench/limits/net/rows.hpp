// The least that raw libfabric needs for what oriel's net rows do.
#pragma once

#include "bench/limits/net/endpoint.hpp"

namespace bench::net {

// Two processes.
void transfer_rows(processes&, endpoint&, const arguments&);
void round_trip_row(processes&, endpoint&, const arguments&);
// Four.
void fence_row(processes&, endpoint&, const arguments&);

}  // namespace bench::net
