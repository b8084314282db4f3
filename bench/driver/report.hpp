// A run as a reader sees it: for each case the times side by side, and the ratios that are judged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/driver/mpi_table.hpp"
#include "bench/driver/run_facts.hpp"
#include "bench/driver/table.hpp"

namespace bench {

// So many peers look different (page.css); more share.
inline constexpr std::size_t peer_styles = 4;

// One program's time in a row.
struct report_bar {
  std::string who;    // "oriel", "limit", "MPICH", …
  std::string style;  // the same of all its bars: "oriel", "limit", "peer0", …
  std::optional<timing> time;
  std::string failure;               // why there is no time
  std::optional<std::size_t> ratio;  // which of the row's stands beside it
};

struct report_ratio {
  std::optional<double> value;  // finite
  std::string aim;              // "≤ 1.5"; empty: none
  std::optional<bool> met;
};

struct report_row {
  row_key key;
  int turn = 0;      // where its case stands in the order of measurement
  std::string host;  // of MPI programs, the library; else empty
  std::vector<report_bar> bars;
  std::vector<report_ratio> ratios;  // one of each sort
};

// What a sort of ratios means, and the middle of those that there are.
struct ratio_sort {
  std::string beside;  // "× limit", "× oriel": what follows the number
  std::string name;    // "MPICH's time beside oriel's"
  std::optional<double> middle;
};

struct report {
  std::string title;
  run_facts facts;
  std::vector<ratio_sort> sorts;
  std::vector<report_row> rows;  // in the order of measurement
};

// Of `./run bench` and of that between nodes, and of MPI programs.
report report_of(const run_facts&, const std::vector<result_row>&);
report report_of(const run_facts&, const std::vector<mpi_row>&);

}  // namespace bench
