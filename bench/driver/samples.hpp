// Measured values, gathered over rounds.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace bench {

struct row_key {
  std::string name;
  int ranks = 0;
  std::size_t bytes = 0;
  friend auto operator<=>(const row_key&, const row_key&) = default;
};

// The middle of the values, the mean of the two middle ones of an even number; nothing of none.
std::optional<double> median(std::vector<double> values);

// Nanoseconds of one unit: the median of the rounds, the least and the most of them.
struct timing {
  double middle = 0, least = 0, most = 0;
};

class samples {
 public:
  // Lines "case ranks bytes ns", as the measuring programs print them; others are ignored. Returns
  // how many were taken.
  int take(const std::string& output);
  [[nodiscard]] std::optional<timing> of(const row_key&) const;
  // Regardless of the number of ranks: the limits are measured by one process.
  [[nodiscard]] std::optional<timing> of_any(const std::string& name, std::size_t bytes) const;
  [[nodiscard]] std::vector<row_key> keys() const;

 private:
  std::map<row_key, std::vector<double>> values_;
};

}  // namespace bench
