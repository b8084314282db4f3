// What a reader has to know about a run: when, how and on which machine it was.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct options;

// Names and texts in the order in which they are shown: "date", "command", "processor", …
using run_facts = std::vector<std::pair<std::string, std::string>>;

// Of this machine as it is now; `words` are the command line.
run_facts facts_of_run(const options&, const std::vector<std::string>& words);

}  // namespace bench
