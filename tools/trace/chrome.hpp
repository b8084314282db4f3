// A trace in the format of Chrome's trace viewer, which Perfetto (ui.perfetto.dev) opens.
#pragma once

#include <ostream>

#include "tools/trace/job_trace.hpp"

namespace oriel::tools {

void write_chrome(const job_trace&, std::ostream&);

}  // namespace oriel::tools
