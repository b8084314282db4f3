// What the suite of hash_map has in common: where its tables lie, and how much work they stand.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

#include "oriel/hash_map.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {

using word = std::uint64_t;

// Where the tables of all tests lie: empty, or "cuda:device".
inline std::string tested_kind() {
  const char* const kind = std::getenv("ORIEL_TEST_KIND");
  return kind == nullptr ? "" : kind;
}
inline hash_map_options on_kind(hash_map_options o = {}) {
  o.memory_kind = tested_kind();
  return o;
}
// Where every operation takes a network's time, a runtime's or the checks', there are few of them.
inline bool slow() {
  return spans_nodes() || !tested_kind().empty() || std::getenv("ORIEL_CHECK") != nullptr;
}

}  // namespace oriel::testing
