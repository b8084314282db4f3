#include "bench/driver/page.hpp"

#include <fmt/format.h>

#include "bench/driver/case_texts.hpp"
#include "bench/driver/embedded.hpp"
#include "bench/driver/page_charts.hpp"
#include "bench/driver/text.hpp"

namespace bench {
namespace {

// Browsers that keep to it load nothing, whatever a text of the run may hold.
constexpr const char* head =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n";

constexpr const char* reading =
    "<section class=\"reading\"><h2>How to read this</h2>\n"
    "<p>A time is the median of the rounds; the thin line spans the least and the most of them. "
    "The "
    "bars of a row have one scale, which begins at 0; each row has its own. A bar with a torn end "
    "is "
    "longer than it is drawn. All programs of a row were measured in turn, so that what else the "
    "machine did fell on all of them alike: compare within a row, and not across runs.</p>\n"
    "<p>Beside oriel's bar stands its time as a multiple of the limit's: what the machine itself "
    "takes for the least work that a case needs. Beside another program's bar stands its time as a "
    "multiple of oriel's. docs/BENCHMARKS.md defines the cases and their limits.</p>\n</section>\n";

std::string facts_list(const run_facts& facts) {
  std::string html = "<dl class=\"facts\">\n";
  for (const auto& [name, text] : facts)
    html += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escaped(name), escaped(text));
  return html + "</dl>\n";
}

// "get_bw, 4 KiB"
std::string name_of(const report_row& row) {
  return fmt::format("{}{}{}, {}", row.host, row.host.empty() ? "" : ": ", row.key.name,
                     size_text(static_cast<double>(row.key.bytes)));
}

// The middle of each sort of ratio, and how many aims are met.
std::string summary(const report& r) {
  std::string html = "<section class=\"tiles\">\n";
  for (const ratio_sort& sort : r.sorts)
    if (sort.middle)
      html +=
          fmt::format("<div class=\"tile\"><b>{}×</b><span>{}, median of all rows</span></div>\n",
                      ratio_text(*sort.middle), escaped(sort.name));
  int met = 0, judged = 0;
  std::string missed;
  for (std::size_t i = 0; i < r.rows.size(); ++i)
    for (const report_ratio& ratio : r.rows[i].ratios) {
      if (!ratio.met) continue;
      ++judged;
      met += *ratio.met ? 1 : 0;
      if (!*ratio.met)
        missed += fmt::format(" <a href=\"#row{}\">{}</a>", i, escaped(name_of(r.rows[i])));
    }
  if (judged != 0)
    html += fmt::format("<div class=\"tile\"><b>{} of {}</b><span>aims are met</span></div>\n", met,
                        judged);
  html += "</section>\n";
  if (!missed.empty()) html += "<p class=\"missed-rows\">Missed:" + missed + "</p>\n";
  return html;
}

// What a row can be sorted by: its place, oriel's time, and each sort of ratio.
std::string sort_keys(const report_row& row) {
  const auto& own = row.bars.front().time;
  std::string attributes =
      fmt::format("data-by1=\"{}\"", own ? fmt::format("{}", own->middle) : "");
  for (std::size_t s = 0; s < row.ratios.size(); ++s)
    if (row.ratios[s].value)
      attributes += fmt::format(" data-by{}=\"{}\"", s + 2, *row.ratios[s].value);
  return attributes;
}

std::string row_html(const report& r, std::size_t i, const std::string& text) {
  const report_row& row = r.rows[i];
  std::string html = fmt::format(
      "<tr id=\"row{0}\" data-case=\"{1}\" {2}><th scope=\"row\">{1}<small>{3}{4}{5}, {6} "
      "ranks</small>",
      i, escaped(row.key.name), sort_keys(row), escaped(row.host), row.host.empty() ? "" : ", ",
      size_text(static_cast<double>(row.key.bytes)), row.key.ranks);
  if (!text.empty()) html += fmt::format("<p>{}</p>", escaped(text));
  return html + "</th><td>" + bars_of(row, r.sorts) + "</td></tr>\n";
}

std::string rows_table(const report& r) {
  const auto texts = case_texts(benchmarks_text);
  // The script makes a menu of these.
  std::string sorts = "oriel's time";
  for (const ratio_sort& sort : r.sorts) sorts += "|" + sort.name;
  std::string html = fmt::format(
      "<table class=\"rows\" data-sorts=\"{}\">\n<thead><tr><th scope=\"col\">case</th><th "
      "scope=\"col\">time of one unit</th></tr></thead>\n<tbody>\n",
      escaped(sorts));
  const std::string* before = nullptr;
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    // What one unit is stands in the first of a case's rows.
    const std::string& name = r.rows[i].key.name;
    const auto text = texts.find(name);
    const bool is_first = before == nullptr || *before != name;
    html += row_html(r, i, is_first && text != texts.end() ? text->second : "");
    before = &name;
  }
  return html + "</tbody>\n</table>\n";
}

}  // namespace

std::string page(const report& r) {
  std::string html = fmt::format(head, escaped(r.title), page_style);
  html += fmt::format("<header><h1>{}</h1>\n{}</header>\n<main>\n", escaped(r.title),
                      facts_list(r.facts));
  html += summary(r);
  if (const std::string charts = size_charts(r); !charts.empty())
    html += "<section><h2>Bandwidth against size</h2>\n" + charts + "</section>\n";
  html += "<section><h2>All rows</h2>\n" + rows_table(r) + "</section>\n";
  html += reading;
  return html + "</main>\n<script>\n" + page_script + "</script>\n</body>\n</html>\n";
}

}  // namespace bench
