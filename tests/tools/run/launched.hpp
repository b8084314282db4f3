// A launcher under test, seen from outside.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/running.hpp"

namespace oriel::testing {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A started launcher, its standard output and error together.
class launched_program {
 public:
  launched_program(const std::string& program, std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    arguments.insert(arguments.begin(), program);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      std::vector<char*> argv;
      for (std::string& a : arguments) argv.push_back(a.data());
      argv.push_back(nullptr);
      for (const char* name : {"ORIEL_RANK", "ORIEL_SIZE", "ORIEL_ROOT"}) unsetenv(name);
      alarm(60);
      execv(argv[0], argv.data());
      _exit(99);
    }
    close(ends[1]);
    out_ = ends[0];
  }
  ~launched_program() {
    if (!ended_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    close(out_);
  }
  // Reads until `text` has appeared.
  bool until(const std::string& text) {
    const auto end = clock::now() + std::chrono::seconds(10);
    while (output.find(text) == std::string::npos) {
      if (clock::now() > end || !read_some()) return false;
    }
    return true;
  }
  // Reads until the program has ended.
  int status() {
    while (!ended_ && read_some()) {
    }
    if (!ended_) waitpid(pid_, &how_, 0);
    ended_ = true;
    return WIFEXITED(how_) ? WEXITSTATUS(how_) : -WTERMSIG(how_);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }
  std::string output;

 private:
  bool read_some() {
    std::array<char, 65536> bytes;
    const ssize_t n = read(out_, bytes.data(), bytes.size());
    if (n > 0) output.append(bytes.data(), static_cast<std::size_t>(n));
    return n > 0;
  }
  pid_t pid_ = -1;
  bool ended_ = false;
  int how_ = 0;
  int out_ = -1;
};

inline std::vector<std::string> shell(std::vector<std::string> options, const std::string& script) {
  options.insert(options.end(), {"sh", "-c", script});
  return options;
}

inline bool ends_soon(pid_t pid) {
  const auto end = clock::now() + std::chrono::seconds(2);
  while (is_running(pid) && clock::now() < end) std::this_thread::sleep_for(milliseconds(5));
  return !is_running(pid);
}

inline std::vector<pid_t> pids_in(const std::string& output, const std::string& word) {
  std::vector<pid_t> pids;
  std::istringstream text(output);
  for (std::string w; text >> w;)
    if (w == word && text >> w) pids.push_back(std::stoi(w));
  return pids;
}

}  // namespace oriel::testing
