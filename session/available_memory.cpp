#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "session/node_memory.hpp"

namespace oriel::boot {
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

// What the control group (version 2) of this process still allows.
std::size_t group_memory() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("0::")) continue;
    const std::string group = "/sys/fs/cgroup" + line.substr(3);
    const std::size_t most = read_number(group + "/memory.max");
    const std::size_t now = read_number(group + "/memory.current");
    if (most != no_limit && now != no_limit) return most > now ? most - now : 0;
  }
  return no_limit;
}

}  // namespace

std::size_t available_memory() {
  return std::min(machine_memory(), group_memory());
}

}  // namespace oriel::boot
