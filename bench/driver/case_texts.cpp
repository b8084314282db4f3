#include "bench/driver/case_texts.hpp"

#include <regex>
#include <sstream>
#include <vector>

namespace bench {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream text(line.substr(1));
  for (std::string cell; std::getline(text, cell, '|');) cells.push_back(cell);
  return cells;
}

// Without marks of code, and of links only what is shown.
std::string plain(const std::string& markdown) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))"), marks("`"), ends("^ +| +$");
  return std::regex_replace(std::regex_replace(std::regex_replace(markdown, link, "$1"), marks, ""),
                            ends, "");
}

}  // namespace

std::map<std::string, std::string> case_texts(const std::string& markdown) {
  static const std::regex name("`([a-z0-9_]+)`");
  std::map<std::string, std::string> texts;
  std::istringstream lines(markdown);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() < 2) continue;
    const std::string text = plain(cells[1]);
    for (std::sregex_iterator it(cells[0].begin(), cells[0].end(), name), end; it != end; ++it)
      texts.emplace((*it)[1], text);
  }
  return texts;
}

}  // namespace bench
