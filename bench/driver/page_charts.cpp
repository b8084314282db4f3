#include "bench/driver/page_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/driver/panel.hpp"
#include "bench/driver/text.hpp"

namespace bench {
namespace {

constexpr double longest_of_oriel = 10;  // so many times oriel's bar is the longest that is whole

// Of one row all but times are counts.
std::string value_text(const row_key& key, double value) {
  return key.name.find("bytes") == std::string::npos ? time_text(value)
                                                     : fmt::format("{:.0f} B", value);
}

// The time that a whole line stands for.
double scale_of(const report_row& row) {
  double longest = 0, of_oriel = 0;
  for (const report_bar& bar : row.bars) {
    if (!bar.time) continue;
    // One bad round does not make all bars short.
    longest = std::max(longest, std::min(bar.time->most, 1.3 * bar.time->middle));
    if (bar.style == "oriel") of_oriel = bar.time->middle;
  }
  const bool cut = of_oriel > 0 && longest > 1.2 * longest_of_oriel * of_oriel;
  if (cut) return longest_of_oriel * of_oriel;
  return longest > 0 ? longest : 1;
}

std::string whisker(const timing& time, double scale) {
  const double least = 100 * std::min(time.least / scale, 1.0);
  const double most = 100 * std::min(time.most / scale, 1.0);
  if (time.least == time.most) return "";
  std::string svg = fmt::format(
      "<line x1=\"{0:.2f}%\" x2=\"{1:.2f}%\" y1=\"7\" y2=\"7\"/><line x1=\"{0:.2f}%\" "
      "x2=\"{0:.2f}%\" y1=\"4\" y2=\"10\"/>",
      least, most);
  if (time.most <= scale)
    svg += fmt::format("<line x1=\"{0:.2f}%\" x2=\"{0:.2f}%\" y1=\"4\" y2=\"10\"/>", most);
  return "<g class=\"whisker\">" + svg + "</g>";
}

std::string track(const timing& time, double scale) {
  const double part = time.middle / scale;
  std::string svg = fmt::format(
      "<svg class=\"track\" height=\"14\" aria-hidden=\"true\"><rect class=\"bar\" y=\"2\" "
      "width=\"{:.2f}%\" height=\"10\"/>",
      100 * std::min(part, 1.0));
  if (part > 1)
    svg +=
        "<svg x=\"100%\" overflow=\"visible\"><path class=\"torn\" d=\"M-14 14l3-5-3-4 3-5\"/>"
        "<path class=\"torn\" d=\"M-9 14l3-5-3-4 3-5\"/></svg>";
  else
    svg += whisker(time, scale);
  return svg + "</svg>";
}

std::string chart(const std::string& title, const std::vector<curve>& curves) {
  constexpr double width = 360, height = 250;
  return fmt::format(
      "<figure><svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>"
      "</figure>\n",
      width, height, escaped(title),
      draw_panel({74, 30, width - 84, height - 60}, title, rates_of(curves), rate_text));
}

std::string ratio_html(const report_ratio& ratio, const ratio_sort& sort) {
  std::string html;
  if (ratio.value)
    html += fmt::format("<span class=\"ratio\"><b>{}</b> {}</span>", ratio_text(*ratio.value),
                        sort.beside);
  if (ratio.met)
    html += fmt::format("<small class=\"aim {0}\" title=\"the aim: {1}, {2}\">{1} {2}</small>",
                        *ratio.met ? "met" : "missed", ratio.aim, *ratio.met ? "met" : "missed");
  return html;
}

// Labels by style.
std::string legend(const std::map<std::string, std::string>& keys) {
  std::string html = "<ul class=\"keys\">";
  for (const auto& [style, label] : keys)
    html += fmt::format("<li class=\"{}\"><span>{}</span></li>", style, escaped(label));
  return html + "</ul>\n";
}

}  // namespace

std::string bars_of(const report_row& row, const std::vector<ratio_sort>& sorts) {
  const double scale = scale_of(row);
  std::string html = "<ul class=\"bars\">";
  for (const report_bar& bar : row.bars) {
    // Which case's limit it is has no room beside the bar.
    html += fmt::format("<li class=\"{}\"><span title=\"{}\">{}</span>", bar.style,
                        escaped(bar.who), bar.style == "limit" ? "limit" : escaped(bar.who));
    if (bar.time)
      html += fmt::format("{}<b title=\"{} to {} in all rounds\">{}</b>", track(*bar.time, scale),
                          value_text(row.key, bar.time->least), value_text(row.key, bar.time->most),
                          value_text(row.key, bar.time->middle));
    else
      html += fmt::format("<em>{}</em>", bar.failure.empty() ? "–" : escaped(bar.failure));
    if (bar.ratio) html += ratio_html(row.ratios[*bar.ratio], sorts[*bar.ratio]);
    html += "</li>";
  }
  return html + "</ul>";
}

std::string size_charts(const report& r) {
  // By case, ranks and host; of each the curves in the order of their bars.
  std::vector<std::pair<std::string, std::vector<curve>>> charts;
  for (const report_row& row : r.rows) {
    const std::string title = fmt::format("{}{}{}, {} ranks", row.key.name,
                                          row.host.empty() ? "" : ", ", row.host, row.key.ranks);
    auto chart = std::find_if(charts.begin(), charts.end(),
                              [&title](const auto& c) { return c.first == title; });
    if (chart == charts.end()) chart = charts.insert(chart, {title, {}});
    for (const report_bar& bar : row.bars) {
      if (!bar.time) continue;
      auto& curves = chart->second;
      auto own = std::find_if(curves.begin(), curves.end(),
                              [&bar](const curve& c) { return c.label == bar.who; });
      if (own == curves.end()) own = curves.insert(own, {bar.who, {}, bar.style});
      own->points.emplace_back(static_cast<double>(row.key.bytes), bar.time->middle);
    }
  }
  std::string html;
  std::map<std::string, std::string> keys;
  for (auto& [title, curves] : charts) {
    // On top of the others.
    std::stable_partition(curves.begin(), curves.end(),
                          [](const curve& c) { return c.style != "oriel"; });
    if (std::none_of(curves.begin(), curves.end(),
                     [](const curve& c) { return c.points.size() >= 3; }))
      continue;
    html += chart(title, curves);
    for (const curve& c : curves) keys.emplace(c.style, c.style == "limit" ? c.style : c.label);
  }
  return html.empty() ? "" : legend(keys) + "<div class=\"charts\">\n" + html + "</div>\n";
}

}  // namespace bench
