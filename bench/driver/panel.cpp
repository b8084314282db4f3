#include "bench/driver/panel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/driver/text.hpp"

namespace bench {
namespace {

constexpr double margin = 20;        // on both sides of the curves
constexpr double room_a_label = 64;  // of a size

// What an axis spans, and where a value is on it from 0 to 1.
struct axis {
  double low = 1e300, high = 1e-300;

  void take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  [[nodiscard]] double at(double value) const {
    return std::log(value / low) / std::max(std::log(high / low), 1e-9);
  }
};

// Round values from just below an axis's range to just above it: powers of ten, and 2 and 5 times
// these where the range is less than a hundredfold. At least two.
std::vector<double> ticks_around(const axis& a) {
  constexpr double nearly = 1.0001;
  const std::vector<double> steps =
      a.high < 100 * a.low ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(a.low)) - 1);; power *= 10)
    for (const double step : steps) {
      const double tick = power * step;
      if (tick <= a.low * nearly) ticks.clear();  // a nearer one
      ticks.push_back(tick);
      if (tick * nearly >= a.high && ticks.size() > 1) return ticks;
    }
}

class panel {
 public:
  panel(const panel_place& place, const std::vector<curve>& curves)
      : place_(place), curves_(curves) {
    for (const curve& c : curves_)
      for (const auto& [bytes, value] : c.points) {
        x_.take(bytes);
        y_.take(value);
      }
    ticks_ = ticks_around(y_);
    y_ = {ticks_.front(), ticks_.back()};
  }

  [[nodiscard]] std::string grid(std::string (*label)(double)) const {
    std::string svg;
    for (const double y : ticks_)
      svg += fmt::format(
          "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>\n"
          "<text x=\"{3}\" y=\"{4:.1f}\" class=\"y\">{5}</text>\n",
          place_.x, place_.x + place_.width, place_y(y), place_.x - 6, place_y(y) + 4, label(y));
    const double most = std::max(2.0, place_.width / room_a_label);
    double step = 4;
    while (std::log(x_.high / x_.low) / std::log(step) + 1 > most) step *= 4;
    for (double x = x_.low; x <= x_.high * 1.0001; x *= step)
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"x\">{}</text>\n", place_x(x),
                         place_.y + place_.height + 18, size_text(x));
    return svg;
  }

  [[nodiscard]] std::string lines() const {
    std::string svg;
    for (const curve& c : curves_) {
      std::string line, dots;
      for (const auto& [bytes, value] : c.points) {
        line += fmt::format("{:.1f},{:.1f} ", place_x(bytes), place_y(value));
        dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\"/>", place_x(bytes),
                            place_y(value));
      }
      svg += fmt::format(
          "<g class=\"{}\"><title>{}</title><polyline points=\"{}\" class=\"curve\"/>{}</g>\n",
          c.style, escaped(c.label), line, dots);
    }
    return svg;
  }

 private:
  [[nodiscard]] double place_x(double v) const {
    return place_.x + margin + (place_.width - 2 * margin) * x_.at(v);
  }
  [[nodiscard]] double place_y(double v) const { return place_.y + place_.height * (1 - y_.at(v)); }

  panel_place place_;
  const std::vector<curve>& curves_;
  axis x_, y_;
  std::vector<double> ticks_;
};

}  // namespace

std::string draw_panel(const panel_place& place, const std::string& title,
                       const std::vector<curve>& curves, std::string (*label)(double)) {
  std::string svg = fmt::format(
      "<text x=\"{}\" y=\"{}\" class=\"title\">{}</text>\n"
      "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n",
      place.x + place.width / 2, place.y - 12, escaped(title), place.x, place.y, place.width,
      place.height);
  if (std::all_of(curves.begin(), curves.end(), [](const curve& c) { return c.points.empty(); }))
    return svg;
  const panel drawn(place, curves);
  return svg + drawn.grid(label) + drawn.lines();
}

std::vector<curve> rates_of(std::vector<curve> curves) {
  for (curve& c : curves)
    for (auto& [bytes, value] : c.points) value = bytes / value;
  return curves;
}

}  // namespace bench
