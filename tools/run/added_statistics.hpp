// What a job adds to the file of ORIEL_STATS, as a table on the standard error once the job has
// ended.
#pragma once

#include <cstdint>
#include <string>

namespace oriel::tools {

class added_statistics {
 public:
  // Of what stands in the file later than now.
  added_statistics();
  // Prints nothing where there is no such file, or nothing was added: the ranks have said why.
  void show() const;

 private:
  std::string file_;
  std::uintmax_t before_ = 0;  // bytes
};

}  // namespace oriel::tools
