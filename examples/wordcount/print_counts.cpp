#include "examples/wordcount/print_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace wordcount {

void print_counts(counted all, const count_report& r) {
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  fmt::print("{} {}, {} distinct, on {} ranks\n", r.tokens, r.what, all.size(), r.ranks);
  for (std::size_t i = 0; i < std::min<std::size_t>(10, all.size()); ++i)
    fmt::print("{:>10}  {}\n", all[i].first, all[i].second);
  fmt::print("{:.2f} million inserts per second\n\n{}",
             static_cast<double>(r.tokens) / r.seconds / 1e6, r.explain);
  if (r.file.empty()) return;
  std::ofstream file(r.file);
  for (const auto& [count, text] : all) file << count << ' ' << text << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + r.file);
}

}  // namespace wordcount
