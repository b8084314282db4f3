// Where a window's calls are noted (ORIEL_TRACE).
#pragma once

#include <cstdint>

namespace oriel::win {

class trace_file;

struct trace_place {
  trace_file* file = nullptr;  // null: they are not
  std::uint32_t window = 0;    // the number of its name there
};

}  // namespace oriel::win
