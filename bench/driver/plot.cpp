#include "bench/driver/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bench/driver/text.hpp"

namespace bench {
namespace {

constexpr std::array colours{"#1f6feb", "#8c8c8c", "#d1495b", "#edae49", "#66a182", "#7a5195"};
constexpr double width = 440, height = 320, left = 70, top = 60, gap = 90;

std::string style_of(std::size_t i) {
  return fmt::format("s{}", i % colours.size());
}

std::string legend(const std::vector<curve>& curves) {
  std::string svg;
  double x = left;
  for (const curve& c : curves) {
    svg += fmt::format(
        "<g class=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"14\" height=\"4\" class=\"key\"/></g>\n"
        "<text x=\"{}\" y=\"{}\">{}</text>\n",
        c.style, x, top + height + 42, x + 20, top + height + 48, escaped(c.label));
    x += 36 + 7.0 * static_cast<double>(c.label.size());
  }
  return svg;
}

void add_point(std::vector<curve>& curves, const std::string& label, const row_key& key,
               const std::optional<timing>& time) {
  if (!time) return;
  auto found = std::find_if(curves.begin(), curves.end(),
                            [&label](const curve& c) { return c.label == label; });
  if (found == curves.end()) found = curves.insert(found, {label, {}, ""});
  const std::pair point(static_cast<double>(key.bytes), time->middle);
  if (found->points.empty() || found->points.back() != point) found->points.push_back(point);
}

}  // namespace

std::string plot(const std::string& title, const std::vector<curve>& curves) {
  std::vector<curve> drawn;
  for (const curve& c : curves) {
    if (c.points.empty()) continue;
    drawn.push_back(c);
    if (c.style.empty()) drawn.back().style = style_of(drawn.size() - 1);
  }
  std::string styles;
  for (std::size_t i = 0; i < colours.size(); ++i)
    styles += fmt::format(".{}{{color:{}}}", style_of(i), colours[i]);
  const double whole = 2 * (left + width) + gap / 2;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
      "{1}\">\n<style>text{{font:12px sans-serif;fill:#222}}.title{{text-anchor:middle;font-weight:"
      "bold}}.x{{text-anchor:middle}}.y{{text-anchor:end}}.frame{{fill:none;stroke:#999}}.grid{{"
      "stroke:#e4e4e4}}.curve{{fill:none;stroke:currentColor;stroke-width:2}}circle,.key{{fill:"
      "currentColor}}{4}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"24\" class=\"title\">{3}</text>\n",
      whole, top + height + 70, whole / 2, escaped(title), styles);
  if (!drawn.empty()) {
    svg += draw_panel({left, top, width, height}, "time of one transfer", drawn, axis_time_text);
    svg += draw_panel({left + width + gap, top, width, height}, "bandwidth", rates_of(drawn),
                      rate_text);
    svg += legend(drawn);
  }
  return svg + "</svg>\n";
}

std::vector<curve> bandwidth_curves(const std::vector<result_row>& rows) {
  std::vector<curve> curves;
  for (const char* name : {"put_bw", "get_bw"}) {
    const std::string what = std::string(" ") + std::string(name).substr(0, 3);
    for (const result_row& row : rows) {
      if (row.key.name != name || row.key.ranks != 2) continue;
      add_point(curves, "oriel" + what, row.key, row.oriel);
      add_point(curves, "memcpy" + what, row.key, row.limit);
      if (!row.peer.empty()) add_point(curves, row.peer + what, row.key, row.peer_time);
    }
  }
  return curves;
}

}  // namespace bench
