#include "tests/sim/apart.hpp"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <system_error>

namespace oriel::sim {
namespace {

// Of the processor's time: a run takes a second at most; one that loops without a step ends by
// SIGPROF, however busy the machine is.
constexpr time_t longest_s = 120;

// What travels of a verdict before its text.
struct numbers {
  ending how;
  std::uint64_t trace;
  std::uint64_t steps;
  nanoseconds took;
};

void write_all(int to, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = write(to, bytes.data() + done, bytes.size() - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

std::string read_all(int from) {
  std::string bytes;
  std::array<char, 4096> some;
  for (ssize_t n = 0; (n = read(from, some.data(), some.size())) > 0;)
    bytes.append(some.data(), static_cast<std::size_t>(n));
  return bytes;
}

}  // namespace

verdict run_apart(const std::function<verdict()>& run) {
  int ends[2];
  if (pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    const itimerval limit{{}, {longest_s, 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    const verdict v = run();
    const numbers n{v.how, v.trace, v.steps, v.took};
    write_all(ends[1], std::string(reinterpret_cast<const char*>(&n), sizeof n) + v.why);
    _exit(0);
  }
  close(ends[1]);
  const std::string answer = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  verdict v;
  numbers n{};
  if (answer.size() < sizeof n) {
    v.how = ending::failed;
    v.why = "the process ends by signal " + std::to_string(WTERMSIG(status)) + "\n";
    return v;
  }
  std::memcpy(&n, answer.data(), sizeof n);
  v.how = n.how;
  v.trace = n.trace;
  v.steps = n.steps;
  v.took = n.took;
  v.why = answer.substr(sizeof n);
  return v;
}

}  // namespace oriel::sim
