// The pictures of a page.
#pragma once

#include <string>

#include "bench/driver/report.hpp"

namespace bench {

// A row's bars with their times and ratios. Their scale begins at 0, and the longest fills the
// line, unless oriel's would be shorter than a tenth then: what is longer than ten times oriel's is
// drawn with a torn end.
std::string bars_of(const report_row&, const std::vector<ratio_sort>&);

// A chart of bandwidth against size for each case of three sizes and more; empty where there is
// none.
std::string size_charts(const report&);

}  // namespace bench
