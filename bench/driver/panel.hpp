// Curves against size, as a part of an SVG picture. Colours are the style sheet's: each curve is a
// group of its style, drawn in the current colour.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

struct curve {
  std::string label;
  std::vector<std::pair<double, double>> points;  // bytes, nanoseconds
  std::string style{};                            // a class; plot() chooses where it is empty
};

// A panel's frame in the picture, its labels outside.
struct panel_place {
  double x, y, width, height;
};

// Both axes logarithmic. `label` writes a value of the vertical one. Without points, a frame.
std::string draw_panel(const panel_place&, const std::string& title, const std::vector<curve>&,
                       std::string (*label)(double));

// The same curves, as bytes a nanosecond: gigabytes a second.
std::vector<curve> rates_of(std::vector<curve>);

}  // namespace bench
