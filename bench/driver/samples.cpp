#include "bench/driver/samples.hpp"

#include <algorithm>
#include <sstream>

namespace bench {
namespace {

std::optional<timing> summary(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return timing{*median(values), *least, *most};
}

}  // namespace

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

int samples::take(const std::string& output) {
  std::istringstream lines(output);
  int taken = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    row_key key;
    double ns = 0;
    std::string rest;
    if (!(words >> key.name >> key.ranks >> key.bytes >> ns) || words >> rest) continue;
    values_[key].push_back(ns);
    ++taken;
  }
  return taken;
}

std::optional<timing> samples::of(const row_key& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : summary(found->second);
}

std::optional<timing> samples::of_any(const std::string& name, std::size_t bytes) const {
  for (const auto& [key, values] : values_)
    if (key.name == name && key.bytes == bytes) return summary(values);
  return std::nullopt;
}

std::vector<row_key> samples::keys() const {
  std::vector<row_key> keys;
  for (const auto& [key, values] : values_) keys.push_back(key);
  return keys;
}

}  // namespace bench
