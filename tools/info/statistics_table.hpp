// oriel-info --statistics FILE: what the windows of a job have counted (ORIEL_STATS).
#pragma once

#include <string>

namespace oriel::tools {

// Returns a table of each job in the file, a line for each kind of operation and cause of waits.
// Throws arg for a file that cannot be read, or has a line that ORIEL_STATS does not write.
std::string statistics_table(const std::string& file);

}  // namespace oriel::tools
