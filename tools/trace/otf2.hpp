// A trace in the Open Trace Format 2, which Vampir, Scalasca and TAU read.
#pragma once

#include <filesystem>

#include "tools/trace/job_trace.hpp"

namespace oriel::tools {

// Makes the archive `folder`, with the anchor file traces.otf2. Throws std::runtime_error, where
// something is there already, what cannot be written, or oriel was built without libotf2.
void write_otf2(const job_trace&, const std::filesystem::path& folder);

}  // namespace oriel::tools
