// A variable of the environment that a test sets.
#pragma once

#include <cstdlib>
#include <string>

namespace oriel::testing {

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

}  // namespace oriel::testing
