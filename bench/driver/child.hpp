// Running a measuring program: its output, within a time.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace bench {

struct child_result {
  std::string out;
  std::string failure;  // empty when it exited with 0 in time
};

// Its whole process group is killed when the time is over.
child_result run_child(const std::vector<std::string>& command, std::chrono::seconds at_most);

}  // namespace bench
