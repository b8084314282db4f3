// What oriel-bench measures, and how it starts each program that measures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bench {

struct options {
  std::vector<std::string> against;
  std::string json, svg, html, cases;
  std::string from;  // an earlier run's --json file, whose rows are shown: nothing is measured
  int rounds = 5;
  bool quick = false;
  bool net = false;  // between nodes, not within one
  bool mpi = false;  // MPI programs with and without oriel preloaded
  std::filesystem::path bin;
};

// oriel as it is by default between nodes, among the peers of oriel that polls.
inline constexpr const char* asleep = "oriel-asleep";

// MPI libraries as they come ("openmpi", "openmpi-sm" with its faster component, "mpich"), and with
// oriel preloaded ("openmpi+oriel").
inline constexpr const char* preloaded = "+oriel";

// Open MPI's OpenSHMEM, between nodes alone.
inline constexpr const char* openshmem = "openshmem";

// What each number of ranks measures.
struct job_size {
  int ranks;
  std::string cases;
  bool has_limits;  // there is a limit to measure at this size
};
std::vector<job_size> job_sizes(const options&);

// Every case once, in the order in which they are measured.
std::vector<std::string> order_of_cases();

// The MPI libraries of --mpi for which there are programs and oriel's own library in
// `options::bin`.
std::vector<std::string> mpi_hosts(const options&);
// The library that `who` preloads.
std::filesystem::path face_of(const options&, const std::string& mpi);
// Of `job_size::cases`, those in `asked` (empty: all).
std::vector<std::string> chosen(const std::string& asked, const std::string& measured);
// A sentence for each of `options::cases` that these options do not measure.
std::vector<std::string> complaints_of_cases(const options&);

// The command line of `who` ("limits", "oriel" or a peer) for these cases.
std::vector<std::string> launch(const options&, const std::string& who, int ranks,
                                const std::vector<std::string>& cases);

}  // namespace bench
