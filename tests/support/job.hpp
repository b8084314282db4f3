// The session of a test program, opened once, and what tests of several ranks share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

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
