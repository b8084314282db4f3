#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "session/node/node_memory.hpp"

namespace oriel::sessions {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

// A file that holds one number, or "max"; no_limit when it is not there.
std::size_t read_number(const std::string& path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : no_limit;
}

std::size_t machine_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::size_t kib = 0;
  while (file >> key >> kib && std::getline(file, unit))
    if (key == "MemAvailable:") return kib * 1024;
  return no_limit;
}

// The files of one version of control groups.
struct group_files {
  const char* most;
  const char* used;
  // Of memory.stat: files' pages, which the kernel drops when it needs room.
  const char* droppable;
};
constexpr group_files version_1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_"};
constexpr group_files version_2{"/memory.max", "/memory.current", ""};

// What one group still allows.
std::size_t left_in(const std::string& group, const group_files& files) {
  const std::size_t most = read_number(group + files.most);
  std::size_t used = read_number(group + files.used);
  if (most == no_limit || used == no_limit) return no_limit;
  std::ifstream all(group + "/memory.stat");
  std::string key;
  std::size_t bytes = 0;
  while (all >> key >> bytes)
    for (const char* const list : {"active_file", "inactive_file"})
      if (key == std::string(files.droppable) + list) used -= std::min(used, bytes);
  return most > used ? most - used : 0;
}

// What the control groups of this process still allow: its own and those that hold it.
std::size_t group_memory() {
  std::size_t left = no_limit;
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {  // number:controllers:path
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool old = controllers.find(",memory,") != std::string::npos;
    if (!old && controllers != ",,") continue;
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      left = std::min(left, left_in((old ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup") + path,
                                    old ? version_1 : version_2));
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  return left;
}

}  // namespace

std::size_t available_memory() {
  return std::min(machine_memory(), group_memory());
}

}  // namespace oriel::sessions
