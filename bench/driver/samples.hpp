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

class samples {
 public:
  // Lines "case ranks bytes ns", as the measuring programs print them; others are ignored. Returns
  // how many were taken.
  int take(const std::string& output);
  [[nodiscard]] std::optional<double> middle(const row_key&) const;
  // Regardless of the number of ranks: the limits are measured by one process.
  [[nodiscard]] std::optional<double> middle_of_any(const std::string& name,
                                                    std::size_t bytes) const;
  [[nodiscard]] std::vector<row_key> keys() const;

 private:
  std::map<row_key, std::vector<double>> values_;
};

}  // namespace bench
