// Reads the ledgers that the processes of a job have left (tests/drivers/ledger.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::test_driver {

inline std::vector<std::string> read_ledger(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The lines of every ledger `prefix`.PID, each process's in order.
inline std::vector<std::string> read_ledgers(const std::filesystem::path& prefix) {
  std::vector<std::string> lines;
  const std::string name = prefix.filename().string() + ".";
  for (const auto& entry : std::filesystem::directory_iterator(prefix.parent_path())) {
    if (!entry.path().filename().string().starts_with(name)) continue;
    const auto of_one = read_ledger(entry.path());
    lines.insert(lines.end(), of_one.begin(), of_one.end());
  }
  return lines;
}

inline std::vector<std::string> faults(const std::vector<std::string>& lines) {
  std::vector<std::string> found;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(found),
               [](const std::string& line) { return line.starts_with("FAULT "); });
  return found;
}

// How often a call was made: "cuMemAlloc_v2".
inline std::size_t calls(const std::vector<std::string>& lines, std::string_view name) {
  const std::string begin = std::string(name) + "(";
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(),
                    [&](const std::string& line) { return line.starts_with(begin); }));
}

}  // namespace oriel::test_driver
