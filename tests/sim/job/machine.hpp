// What the system answers pretended processes, where it would answer each alike or with what no
// seed repeats: the environment, random bytes, how many processors and how much memory there are.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace oriel::sim {

class machine {
 public:
  machine() noexcept;
  ~machine();
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;
  static machine* of_run() noexcept { return current_; }

  // By process, which of them are on one: of others nobody else is on theirs.
  std::vector<int> nodes;
  // Of all processes: ORIEL_FABRIC_FLUSH, say. Each has its node's ORIEL_NODE_ID besides.
  std::map<std::string, std::string> variables;
  int processors = 64;
  // Of a node, in bytes: 0: what this one has. Else its pages are taken as they are touched,
  // however many the library takes before, so that very many nodes have room here.
  std::size_t memory = 0;

  // Of the calling process; null where it is not set.
  [[nodiscard]] char* variable(const char* name);

 private:
  static machine* current_;
};

}  // namespace oriel::sim
