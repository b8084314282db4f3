// A run as one page of HTML that needs nothing else: it loads nothing, and reads without scripts.
#pragma once

#include <string>

#include "bench/driver/report.hpp"

namespace bench {

std::string page(const report&);

}  // namespace bench
