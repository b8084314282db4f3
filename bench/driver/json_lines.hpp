// A run as a file: a line about the run, and one JSON object a row.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "bench/driver/mpi_table.hpp"
#include "bench/driver/run_facts.hpp"
#include "bench/driver/table.hpp"

namespace bench {

// One object of texts.
std::string print_json(const run_facts&);
// A line a row: case, ranks, bytes, oriel_ns, limit_ns, peer, peer_ns, speedup, peer_failure, and
// the least and most of the rounds: oriel_range, limit_range, peer_range.
std::string print_json(const std::vector<result_row>&);
// A line a row: case, ranks, bytes, host, host_ns, oriel_ns, ratio, wanted, met, host_failure,
// oriel_failure, host_range, oriel_range.
std::string print_json(const std::vector<mpi_row>&);

// Either `rows` or, of a run with --mpi, `mpi_rows`.
struct saved_run {
  run_facts facts;  // empty of files from before runs were described
  std::vector<result_row> rows;
  std::vector<mpi_row> mpi_rows;
};
// Reads what print_json wrote. Ranges and failures may be missing. Throws std::runtime_error with
// the number of the first line that is no row, or where no line is one.
saved_run read_json(std::istream&);

}  // namespace bench
