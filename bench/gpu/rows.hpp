// The rows of the GPU's benchmarks: oriel's figure beside the machine's own, both measured in turn
// in every round, the median of each, and what the ratio should at least be.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

inline double median(std::vector<double> values) {
  if (values.empty()) throw std::logic_error("the median of nothing");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// One row. `ours` and `raw` are in `unit`; raw is 0 where the floor is absolute, and then `ratio`
// is `ours` itself.
struct gpu_row {
  std::string name{};
  std::size_t bytes = 0;
  double ours = 0, raw = 0;
  double ratio = 0;
  double wanted = 0;     // of the ratio; 0: nothing is, the row is for information
  bool at_most = false;  // times; else at least
  std::string unit{};
  [[nodiscard]] bool met() const { return at_most ? ratio <= wanted : ratio >= wanted; }
};

// Prints rows as they come, and appends them to the file after --json, one object a line. Silent on
// other ranks than 0.
class gpu_report {
 public:
  gpu_report(int argc, char** argv, bool tells) {
    std::string file;
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--quick") quick_ = true;
      if (word == "--json" && i + 1 < argc) file = argv[++i];
    }
    if (!tells) return;
    out_ = stdout;
    if (file.empty()) return;
    json_ = std::fopen(file.c_str(), "a");
    if (json_ == nullptr) throw std::runtime_error("cannot write " + file);
  }
  ~gpu_report() {
    if (json_ != nullptr) std::fclose(json_);
  }
  gpu_report(const gpu_report&) = delete;
  gpu_report& operator=(const gpu_report&) = delete;

  [[nodiscard]] bool quick() const noexcept { return quick_; }
  [[nodiscard]] int rounds() const noexcept { return quick_ ? 3 : 7; }

  // Measures `row`, which names a case, and adds it: both figures in turn in every round, each the
  // median of its own; the ratio is the median of the rounds' ratios. `ours` and `raw` return one
  // figure of one round.
  template <class Ours, class Raw>
  void compare(gpu_row row, Ours ours, Raw raw) {
    std::vector<double> of_ours, of_raw, ratios;
    for (int i = 0; i < rounds(); ++i) {
      const bool first = i % 2 == 0;
      double mine = first ? ours() : 0;
      const double theirs = raw();
      if (!first) mine = ours();
      of_ours.push_back(mine);
      of_raw.push_back(theirs);
      ratios.push_back(mine / theirs);
    }
    row.ours = median(of_ours);
    row.raw = median(of_raw);
    row.ratio = median(ratios);
    add(row);
  }

  void add(const gpu_row& row) {
    if (out_ == nullptr) return;
    std::fprintf(out_, "%-26s %11s %12.4g %12s %-6s %8s%s\n", row.name.c_str(),
                 size(row.bytes).c_str(), row.ours, row.raw == 0 ? "" : number(row.raw).c_str(),
                 row.unit.c_str(), row.raw == 0 ? "" : number(row.ratio).c_str(),
                 verdict(row).c_str());
    std::fflush(out_);
    if (json_ == nullptr) return;
    std::fprintf(json_,
                 "{\"case\":\"%s\",\"bytes\":%zu,\"unit\":\"%s\",\"oriel\":%.6g,\"raw\":%.6g,"
                 "\"ratio\":%.6g",
                 row.name.c_str(), row.bytes, row.unit.c_str(), row.ours, row.raw, row.ratio);
    if (row.wanted != 0)
      std::fprintf(json_, ",\"wanted\":%.6g,\"at_most\":%s,\"met\":%s", row.wanted,
                   row.at_most ? "true" : "false", row.met() ? "true" : "false");
    std::fprintf(json_, "}\n");
  }

 private:
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
  }
  static std::string verdict(const gpu_row& row) {
    if (row.wanted == 0) return "";
    return std::string("  wanted ") + (row.at_most ? "<= " : ">= ") + number(row.wanted) + ": " +
           (row.met() ? "yes" : "NO");
  }
  static std::string size(std::size_t bytes) {
    if (bytes == 0) return "";
    return bytes < 1024 ? std::to_string(bytes) + " B" : std::to_string(bytes >> 20) + " MiB";
  }

  std::FILE* out_ = nullptr;
  std::FILE* json_ = nullptr;
  bool quick_ = false;
};

}  // namespace bench
