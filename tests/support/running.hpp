// Whether a process runs: not once it has ended, reaped or not.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>

namespace oriel::testing {

inline bool is_running(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string id, name, state;
  return (stat >> id >> name >> state) && state != "Z" && state != "X";
}

}  // namespace oriel::testing
