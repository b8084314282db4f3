// The session of a test program, opened once, and what tests of several ranks share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "oriel/oriel.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::testing {

inline session& job() {
  static session opened;
  return opened;
}
inline team world() {
  return job().world();
}
inline int me() {
  return world().me().value;
}
inline int ranks() {
  return world().size();
}

inline bool checking() {
  const char* const asked = std::getenv("ORIEL_CHECK");
  return asked != nullptr && *asked != '0';
}
inline bool spans_nodes() {
  return job().node().size() < ranks();
}

// How many requests are many. libfabric's shm (1.17) takes about one write for each look of the
// target's agent, which it does not wake and which looks every millisecond: a hundred thousand took
// 124 s, the origin polling and the target asleep all the while.
inline std::size_t many_requests() {
  const char* const way = std::getenv("ORIEL_FABRIC");
  return way != nullptr && std::string_view(way) == "shm" ? 2'000 : 100'000;
}

// The code and the text of the error that `work` throws; success when it throws none.
struct thrown {
  errc code = errc::success;
  std::string text;
};
template <class Work>
thrown catch_error(Work work) {
  try {
    work();
    return {};
  } catch (const error& e) {
    return {e.code(), e.what()};
  }
}

}  // namespace oriel::testing
