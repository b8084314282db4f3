#include "bench/driver/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace bench {
namespace {

constexpr std::array colours{"#1f6feb", "#8c8c8c", "#d1495b", "#edae49", "#66a182", "#7a5195"};
constexpr double width = 440, height = 320, left = 70, top = 60, gap = 90;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

std::string size_label(double bytes) {
  if (bytes >= 1 << 20) return fmt::format("{:g} MiB", bytes / (1 << 20));
  if (bytes >= 1 << 10) return fmt::format("{:g} KiB", bytes / (1 << 10));
  return fmt::format("{:g} B", bytes);
}

std::string time_label(double ns) {
  if (ns >= 1e6) return fmt::format("{:g} ms", ns / 1e6);
  if (ns >= 1e3) return fmt::format("{:g} us", ns / 1e3);
  return fmt::format("{:g} ns", ns);
}

std::string rate_label(double gigabytes) {
  return fmt::format("{:g} GB/s", gigabytes);
}

// One panel with logarithmic axes.
class panel {
 public:
  panel(double x, std::string title, const std::vector<curve>& curves, std::string (*label)(double))
      : x_(x), title_(std::move(title)), curves_(curves), label_(label) {
    for (const curve& c : curves_)
      for (const auto& [bytes, value] : c.points) {
        low_x_ = std::min(low_x_, bytes);
        high_x_ = std::max(high_x_, bytes);
        low_y_ = std::min(low_y_, value);
        high_y_ = std::max(high_y_, value);
      }
    low_y_ = std::pow(10, std::floor(std::log10(low_y_)));
    high_y_ = std::pow(10, std::ceil(std::log10(high_y_)));
  }

  [[nodiscard]] std::string draw() const {
    std::string svg = fmt::format(
        "<text x=\"{}\" y=\"{}\" class=\"title\">{}</text>\n"
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"frame\"/>\n",
        x_ + width / 2, top - 12, escaped(title_), x_, top, width, height);
    for (double y = low_y_; y <= high_y_ * 1.0001; y *= 10)
      svg += fmt::format(
          "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"grid\"/>\n"
          "<text x=\"{3}\" y=\"{4:.1f}\" class=\"y\">{5}</text>\n",
          x_, x_ + width, place_y(y), x_ - 6, place_y(y) + 4, label_(y));
    for (double x = low_x_; x <= high_x_ * 1.0001; x *= 4)
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" class=\"x\">{}</text>\n", place_x(x),
                         top + height + 18, size_label(x));
    for (std::size_t i = 0; i < curves_.size(); ++i) {
      const char* const colour = colours[i % colours.size()];
      std::string line;
      for (const auto& [bytes, value] : curves_[i].points) {
        line += fmt::format("{:.1f},{:.1f} ", place_x(bytes), place_y(value));
        svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n",
                           place_x(bytes), place_y(value), colour);
      }
      svg += fmt::format("<polyline points=\"{}\" stroke=\"{}\" class=\"curve\"/>\n", line, colour);
    }
    return svg;
  }

 private:
  [[nodiscard]] double place_x(double v) const {
    const double span = std::max(std::log(high_x_ / low_x_), 1e-9);
    return x_ + 20 + (width - 40) * std::log(v / low_x_) / span;
  }
  [[nodiscard]] double place_y(double v) const {
    const double span = std::max(std::log(high_y_ / low_y_), 1e-9);
    return top + height - height * std::log(v / low_y_) / span;
  }

  double x_;
  std::string title_;
  const std::vector<curve>& curves_;
  std::string (*label_)(double);
  double low_x_ = 1e300, high_x_ = 1, low_y_ = 1e300, high_y_ = 1e-300;
};

std::string legend(const std::vector<curve>& curves) {
  std::string svg;
  double x = left;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" fill=\"{}\"/>\n"
        "<text x=\"{}\" y=\"{}\" class=\"legend\">{}</text>\n",
        x, top + height + 42, colours[i % colours.size()], x + 20, top + height + 48,
        escaped(curves[i].label));
    x += 36 + 7.0 * static_cast<double>(curves[i].label.size());
  }
  return svg;
}

}  // namespace

std::string plot(const std::string& title, const std::vector<curve>& curves) {
  std::vector<curve> drawn, rates;
  for (const curve& c : curves) {
    if (c.points.empty()) continue;
    drawn.push_back(c);
    rates.push_back(c);
    for (auto& [bytes, value] : rates.back().points) value = bytes / value;  // bytes/ns = GB/s
  }
  const double whole = 2 * (left + width) + gap / 2;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\">\n<style>text{{font:12px sans-serif;fill:#222}}.title{{text-anchor:middle;font-weight:"
      "bold}}.x{{text-anchor:middle}}.y{{text-anchor:end}}.frame{{fill:none;stroke:#999}}.grid{{"
      "stroke:#e4e4e4}}.curve{{fill:none;stroke-width:2}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" class=\"title\">{3}</text>\n",
      whole, top + height + 70, whole / 2, escaped(title));
  if (!drawn.empty()) {
    svg += panel(left, "time of one transfer", drawn, time_label).draw();
    svg += panel(left + width + gap, "bandwidth", rates, rate_label).draw();
    svg += legend(drawn);
  }
  return svg + "</svg>\n";
}

}  // namespace bench
