// The session of a test program, opened once, and what tests of several ranks share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "oriel/oriel.hpp"

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

inline bool spans_nodes() {
  return job().node().size() < ranks();
}

// Sets a variable of the environment for as long as it lives.
class scoped_variable {
 public:
  scoped_variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~scoped_variable() { unsetenv(name_); }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;

 private:
  const char* name_;
};

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
