#include "bench/driver/run_facts.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>

#include "bench/driver/child.hpp"
#include "bench/driver/plan.hpp"

namespace bench {
namespace {

// The text behind `key` and `mark` on the first line of a file that begins with `key`.
std::string value_in(const char* path, const std::string& key, char mark) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return begin == std::string::npos ? "" : line.substr(begin, end + 1 - begin);
  }
  return "";
}

std::string processor() {
  constexpr const char* cpus = "/proc/cpuinfo";
  std::string text = value_in(cpus, "model name", ':');
  cpu_set_t set;
  CPU_ZERO(&set);
  const int usable = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  text += fmt::format("{}{} processor{}", text.empty() ? "" : ", ", usable, usable == 1 ? "" : "s");
  if (value_in(cpus, "flags", ':').find(" hypervisor") != std::string::npos)
    text += ", in a virtual machine";
  return text;
}

std::string memory() {
  const double kib = std::atof(value_in("/proc/meminfo", "MemTotal", ':').c_str());
  return kib == 0 ? "" : fmt::format("{:.0f} GiB", kib / (1 << 20));
}

std::string operating_system() {
  utsname name{};
  uname(&name);
  const std::string distribution = value_in("/etc/os-release", "PRETTY_NAME", '=');
  return fmt::format("{}{}{} {}, {}", distribution, distribution.empty() ? "" : ", ", name.sysname,
                     name.release, name.machine);
}

std::string load() {
  double minute = 0;
  return getloadavg(&minute, 1) == 1 ? fmt::format("{:.2f} processes in the minute before", minute)
                                     : "";
}

std::string compiler() {
#ifdef __clang__
  return "Clang " __clang_version__;
#else
  return "GCC " __VERSION__;
#endif
}

// The first number with dots in what its launcher prints.
std::string version_of(const std::string& mpi) {
  const std::string out = run_child({"mpiexec." + mpi, "--version"}, std::chrono::seconds(5)).out;
  static const std::regex number(R"(\d+\.\d+(\.\d+)?\w*)");
  std::smatch found;
  return std::regex_search(out, found, number) ? found[0].str() : "";
}

std::string command_line(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += text.empty() ? std::filesystem::path(word).filename().string() : " " + word;
  return text;
}

}  // namespace

run_facts facts_of_run(const options& o, const std::vector<std::string>& words) {
  run_facts facts{
      {"date", fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)))},
      {"command", command_line(words)},
      {"rounds", std::to_string(o.rounds) + (o.quick ? ", a tenth of the time each" : "")},
      {"processor", processor()},
      {"memory", memory()},
      {"system", operating_system()},
      {"load", load()},
      {"compiler", compiler()},
      {"oriel", ORIEL_VERSION}};
  std::vector<std::string> mpis = o.mpi ? mpi_hosts(o) : o.against;
  std::sort(mpis.begin(), mpis.end());
  mpis.erase(std::unique(mpis.begin(), mpis.end()), mpis.end());
  for (const std::string& mpi : mpis) facts.emplace_back(mpi, version_of(mpi));
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace bench
