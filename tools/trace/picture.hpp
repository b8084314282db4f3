// A part of a trace as a picture (SVG): a lane a rank, a box a call, arrows from notifications to
// the waits for them.
#pragma once

#include <ostream>

#include "tools/trace/job_trace.hpp"

namespace oriel::tools {

// From and until: nanoseconds since the job's first call.
void draw(const job_trace&, std::int64_t from, std::int64_t until, std::ostream&);

}  // namespace oriel::tools
