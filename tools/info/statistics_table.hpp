// What the windows of a job have counted, from the file of ORIEL_STATS: for oriel-info --statistics
// FILE, and for launchers.
#pragma once

#include <cstdint>
#include <string>

namespace oriel::tools {

// Returns a table of each job in the file, a line for each kind of operation and cause of waits: of
// what lies behind its first `skipped` bytes. Throws arg for a file that cannot be read, or has a
// line that ORIEL_STATS does not write.
std::string statistics_table(const std::string& file, std::uintmax_t skipped = 0);

}  // namespace oriel::tools
