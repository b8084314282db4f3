// oriel-info --watch and --stuck: what a running job's ranks do, and for what they wait.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/info/watched_job.hpp"

namespace oriel::tools {

// A line a rank and window. Rates are those since `before`, `seconds` ago; with 0, none.
std::string table_of(const std::vector<watched_rank>& now, const std::vector<watched_rank>& before,
                     double seconds);
nlohmann::ordered_json as_json(const std::vector<watched_rank>&);

// Which rank waits for what, and whose turn it is: the ranks for which others wait and which wait
// for none themselves, and circles. Empty where no rank waits.
std::string stuck_text(const std::vector<watched_rank>&);

// Shows the table every second until the job ends, or the program is interrupted. Throws as
// watched_job.
void watch(pid_t process);

// "lock of rank 0, which rank 2 has"
std::string in_words(const watched_wait&);

}  // namespace oriel::tools
