#include "bench/driver/samples.hpp"

#include <algorithm>
#include <sstream>

namespace bench {

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

std::optional<double> samples::middle(const row_key& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : median(found->second);
}

std::optional<double> samples::middle_of_any(const std::string& name, std::size_t bytes) const {
  for (const auto& [key, values] : values_)
    if (key.name == name && key.bytes == bytes) return median(values);
  return std::nullopt;
}

std::vector<row_key> samples::keys() const {
  std::vector<row_key> keys;
  for (const auto& [key, values] : values_) keys.push_back(key);
  return keys;
}

}  // namespace bench
