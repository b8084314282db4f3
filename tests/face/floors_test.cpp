// The architecture, checked: a file includes only lower floors or its own folder, public headers
// name no backend, what programs name is not in detail/, no operation asks where a peer is, time
// and waits come by one seam, and no file is longer than a reader bears.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

const std::map<std::string, int> floors{
    {"oriel", 0},     {"include", 0},  {"kinds", 1}, {"sync", 1}, {"session", 2}, {"atomics", 2},
    {"transport", 3}, {"win", 4},      {"capi", 5},  {"mpi", 5},  {"shmem", 5},   {"bindings", 5},
    {"bench", 6},     {"examples", 6}, {"tools", 6}, {"tests", 7}};
// Inside of session/, likewise; what belongs to none of these may be included by all.
const std::map<std::string, int> shelves{
    {"session/bootstrap", 0}, {"session/node", 1}, {"session/team", 2}};
// A floor's namespace bears its name, but where programs name a class so.
const std::map<std::string, std::string> namespaces{
    {"kinds", "kinds"},     {"sync", "sync"},           {"session", "sessions"},
    {"atomics", "atomics"}, {"transport", "transport"}, {"win", "win"},
    {"mpi", "mpi"},         {"shmem", "shmem"},         {"tools", "tools"}};
constexpr int longest_file = 400;

bool may_include(const std::string& from, const std::string& to) {
  if (from == to || to == "oriel") return true;
  if (from == "mpi" && to == "capi") return true;
  if (from == "include") return to == "oriel";
  return floors.at(to) < floors.at(from);
}

// The two first folders of a path: "session/node".
std::string shelf_of(const std::string& path) {
  return path.substr(0, path.find('/', path.find('/') + 1));
}

bool may_include_shelf(const std::string& from, const std::string& to) {
  const auto a = shelves.find(shelf_of(from));
  const auto b = shelves.find(shelf_of(to));
  return a == shelves.end() || b == shelves.end() || b->second <= a->second;
}

bool is_source(const fs::path& p) {
  const auto e = p.extension();
  return e == ".cpp" || e == ".hpp" || e == ".h" || e == ".c" || e == ".cuh";
}

// What headers of detail/ define outside of oriel::detail, where programs would name it.
class public_names {
 public:
  // The name that `line` defines so; nothing for other lines.
  std::string in(const std::string& line) {
    static const std::regex opening(R"(^namespace ([\w:]+) \{)");
    static const std::regex definition(
        R"(^(?:struct|class|enum class|using|inline constexpr \w+) (\w+)[^;]*(?:\{|=))");
    std::smatch m;
    if (std::regex_search(line, m, opening)) {
      open_.push_back(m[1]);
    } else if (line.starts_with("}  // namespace") && !open_.empty()) {
      open_.pop_back();
    } else if (std::regex_search(line, m, definition)) {
      for (const std::string& name : open_)
        if (name.find("detail") != std::string::npos) return "";
      return m[1];
    }
    return "";
  }

 private:
  std::vector<std::string> open_;
};

// Files of win/ that may ask where a peer is: routes, construction, and what routes are made of.
bool may_ask_where(const std::string& path) {
  static const std::regex allowed(
      R"(^win/(route/|construct/|serve/remote_service\.cpp|window_core\.hpp))");
  return !path.starts_with("win/") || std::regex_search(path, allowed);
}

// Files that have time, waits, locks and threads from the system itself; the others of their
// folders have them by the seam, so that a simulation can own them.
bool may_ask_the_system(const std::string& path) {
  static const std::regex simulated(
      R"(^(sync/|session/(node|team)/|session/\w+\.|transport/|win/))");
  static const std::regex allowed(
      R"(^(sync/system\.[ch]pp|win/trace/(ticks\.hpp|trace_file\.cpp))$)");
  return !std::regex_search(path, simulated) || std::regex_search(path, allowed);
}

// What is wrong below `root`, a line each.
std::vector<std::string> violations(const fs::path& root) {
  static const std::regex include(R"re(^\s*#\s*include\s*([<"])([^>"]+)[>"])re");
  static const std::regex backend(R"(^(hwloc|rdma/|cuda|hip/|level_zero|mpi\.h|fmt/|CLI/))");
  static const std::regex asking(
      R"(\b(is_remote|on_node|on_my_node|all_on_node|on_device|cma_\w+)\()");
  static const std::regex opening(R"(^namespace oriel::(\w+))");
  static const std::regex system(
      R"(std::(chrono::(steady|system|high_resolution)_clock|this_thread::\w+|j?thread\b(?!::hardware)|\w*mutex\b|condition_variable\w*)|\b(clock_gettime|nanosleep|usleep|sched_yield|SYS_futex|pthread_create|__builtin_ia32_pause)\b)");
  std::vector<std::string> found;
  for (const auto& [folder, floor] : floors) {
    if (!fs::exists(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file() || !is_source(entry.path())) continue;
      const fs::path path = fs::relative(entry.path(), root);
      if (path.string().starts_with("tests/face/violations")) continue;
      std::ifstream file(entry.path());
      const bool detail = path.string().starts_with("include/oriel/detail/");
      public_names names;
      int lines = 0;
      for (std::string line; std::getline(file, line); ++lines) {
        if (const std::string name = detail ? names.in(line) : ""; !name.empty())
          found.push_back(path.string() + ":" + std::to_string(lines + 1) + " defines " + name +
                          ", which programs name, in detail/");
        std::smatch m;
        const std::string where = path.string() + ":" + std::to_string(lines + 1);
        if (!may_ask_where(path.string()) && std::regex_search(line, m, asking))
          found.push_back(where + " asks where a peer is, which its route knows: " + m[1].str());
        if (!may_ask_the_system(path.string()) && std::regex_search(line, m, system))
          found.push_back(where + " goes around sync/system.hpp: " + m[0].str());
        if (const auto own = namespaces.find(folder); own != namespaces.end() &&
                                                      std::regex_search(line, m, opening) &&
                                                      m[1] != own->second && m[1] != "detail")
          found.push_back(where + " opens oriel::" + m[1].str() +
                          " in the folder of oriel::" + own->second);
        if (!std::regex_search(line, m, include)) continue;
        const std::string what = m[2];
        if (folder == "include" && std::regex_search(what, backend))
          found.push_back(where + " is public and includes a backend: " + what);
        const std::string target = what.substr(0, what.find('/'));
        if (m[1] == "\"" && what.find('/') != std::string::npos && floors.count(target) != 0 &&
            !(may_include(folder, target) && may_include_shelf(path.string(), what)))
          found.push_back(where + " includes a higher floor: " + what);
      }
      if (lines > longest_file)
        found.push_back(path.string() + " has " + std::to_string(lines) + " lines; at most " +
                        std::to_string(longest_file));
    }
  }
  return found;
}

TEST(Floors, HoldInThisTree) {
  for (const std::string& v : violations(ORIEL_SOURCE)) ADD_FAILURE() << v;
}

TEST(Floors, AreNoticedWhenBroken) {
  const auto found = violations(fs::path(ORIEL_SOURCE) / "tests/face/violations");
  const auto says = [&found](const std::string& text) {
    return std::any_of(found.begin(), found.end(),
                       [&text](const std::string& v) { return v.find(text) != std::string::npos; });
  };
  EXPECT_EQ(found.size(), 8u);
  EXPECT_TRUE(says("win/asking.cpp:3 asks where a peer is, which its route knows: is_remote"));
  EXPECT_TRUE(says("sync/upward.cpp:2 includes a higher floor: win/window_core.hpp"));
  EXPECT_TRUE(says("transport/sleeping.cpp:4 goes around sync/system.hpp: std::this_thread"));
  EXPECT_TRUE(says("include/oriel/backend.hpp:2 is public and includes a backend: hwloc.h"));
  EXPECT_TRUE(says("include/oriel/detail/named.hpp:4 defines named, which programs name"));
  EXPECT_TRUE(says("kinds/sideways.cpp:2 includes a higher floor: session/team/job.hpp"));
  EXPECT_TRUE(says("session/node/upward.cpp:2 includes a higher floor: session/team/job.hpp"));
  EXPECT_TRUE(says("kinds/named.cpp:2 opens oriel::transport in the folder of oriel::kinds"));
}

}  // namespace
