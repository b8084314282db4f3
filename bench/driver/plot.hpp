// Latency and bandwidth against size, as an SVG picture.
#pragma once

#include <string>
#include <vector>

#include "bench/driver/panel.hpp"
#include "bench/driver/table.hpp"

namespace bench {

// Two panels side by side, both axes logarithmic: time of one transfer, and bytes per second.
std::string plot(const std::string& title, const std::vector<curve>&);

// The rows `put_bw` and `get_bw`, of 2 ranks, of all programs.
std::vector<curve> bandwidth_curves(const std::vector<result_row>&);

}  // namespace bench
