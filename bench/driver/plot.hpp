// Latency and bandwidth against size, as an SVG picture.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct curve {
  std::string label;
  std::vector<std::pair<double, double>> points;  // bytes, nanoseconds
};

// Two panels side by side, both axes logarithmic: time of one transfer, and bytes per second.
std::string plot(const std::string& title, const std::vector<curve>&);

}  // namespace bench
