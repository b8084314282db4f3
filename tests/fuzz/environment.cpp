// ORIEL_* as a launcher, or a user, sets them. An input is lines "NAME=value", without the ORIEL_.
#include "session/bootstrap/environment.hpp"

#include <map>

#include "oriel/errc.hpp"
#include "session/bootstrap/gathering_tree.hpp"
#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {
namespace {

std::map<std::string, std::string> variables_of(std::string_view lines) {
  std::map<std::string, std::string> values;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    values["ORIEL_" + std::string(line.substr(0, equals))] = line.substr(equals + 1);
  }
  return values;
}

void check_job(const sessions::job_description& job) {
  require(job.size >= 1 && job.size <= sessions::most_ranks,
          "the number of ranks is in its bounds");
  require(job.rank >= 0 && job.rank < job.size, "the rank is one of the job's");
  require(job.size == 1 || job.placed, "only a job that is placed has several ranks");
  require(job.size == 1 || (!job.root.host.empty() && job.root.port != 0),
          "a job of several ranks knows where rank 0 listens");
  require(job.root_fd >= -1 && job.root_fd <= 1 << 20, "the socket's number is in its bounds");
  require(!job.parent || (!job.parent->host.empty() && job.parent->port != 0),
          "a rank that has a parent knows where it listens");
  require(!job.parent || job.size > sessions::largest_star, "a star has no parents");
  require(job.root_fd == -1 || job.rank == 0 || job.parent,
          "without parents only rank 0 is given a socket");
  require(job.secret.size() <= 256, "the secret fits a hello");
  using std::chrono::seconds;
  require(job.timeout >= seconds(1) && job.timeout <= seconds(86'400),
          "the time-out is in its bounds");
  require(!job.patience || *job.patience == job.timeout, "patience is the time-out that was set");
}

}  // namespace

std::vector<std::string> seeds() {
  return {"",
          "RANK=0\nSIZE=1\n",
          "RANK=3\nSIZE=4\nROOT=::1:5000\nTIMEOUT=7\nCHECK=1\nJOB_SECRET=xyzzy\n",
          "RANK=0\nSIZE=1048576\nROOT=host:65535\nROOT_FD=3\nMEMORY_ALLOC_KINDS=mpi,system",
          "RANK=5\nSIZE=17\nROOT=host:65535\nPARENT=::1:5000\nROOT_FD=3\n",
          "RANK=-1\nSIZE=2\nROOT=h:1\nNODE_ID=n0\n",
          "RANK=1\n",
          "RANK=1\nSIZE=2\nROOT=:1",
          "TIMEOUT=99999999999\nJOB_SECRET=" + std::string(257, 's')};
}

void check(std::string_view input) {
  const auto values = variables_of(input);
  const auto variable = [&values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
  try {
    check_job(sessions::read_environment(variable));
  } catch (const error& refused) {
    require(refused.code() == errc::arg, "what is malformed is refused as an argument");
    require(std::string_view(refused.what()).find("ORIEL_") != std::string_view::npos,
            "the message names the variable");
  }
  for (const auto& [name, value] : values) {
    try {
      const int n = sessions::parse_number(name, value, -5, 1'000'000);
      require(n >= -5 && n <= 1'000'000, "a number is in its bounds");
      require(sessions::parse_number(name, std::to_string(n), -5, 1'000'000) == n,
              "a number that is written comes back as it was");
    } catch (const error& refused) {
      require(refused.code() == errc::arg, "what is no number is refused as an argument");
    }
  }
}

}  // namespace oriel::fuzz
