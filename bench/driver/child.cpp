#include "bench/driver/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

// Reads until the end of file or `until`; false when the time is over.
bool read_all(int fd, clock::time_point until, std::string& to) {
  std::array<char, 4096> bytes;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - clock::now()).count();
    if (left <= 0) return false;
    pollfd p{fd, POLLIN, 0};
    if (poll(&p, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t n = read(fd, bytes.data(), bytes.size());
    if (n == 0) return true;
    if (n > 0) to.append(bytes.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

child_result run_child(const std::vector<std::string>& command, std::chrono::seconds at_most) {
  child_result result;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    result.failure = std::strerror(errno);
    return result;
  }
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    setpgid(0, 0);
    dup2(ends[1], STDOUT_FILENO);
    const int null = open("/dev/null", O_RDWR);
    dup2(null, STDIN_FILENO);
    dup2(null, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    result.failure = "cannot fork";
    return result;
  }
  setpgid(pid, pid);
  const bool ended = read_all(ends[0], clock::now() + at_most, result.out);
  close(ends[0]);
  if (!ended) kill(-pid, SIGKILL);
  int how = 0;
  waitpid(pid, &how, 0);
  kill(-pid, SIGKILL);
  if (!ended)
    result.failure = "more than " + std::to_string(at_most.count()) + " s";
  else if (WIFSIGNALED(how))
    result.failure = "signal " + std::to_string(WTERMSIG(how));
  else if (WEXITSTATUS(how) != 0)
    result.failure = "exit " + std::to_string(WEXITSTATUS(how));
  return result;
}

}  // namespace bench
