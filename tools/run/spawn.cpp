#include "tools/run/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "oriel/errc.hpp"
#include "session/system_failure.hpp"

namespace oriel::tools {
namespace {

struct channel {
  sessions::socket_fd read, write;
};

channel make_channel() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) sessions::system_failure("pipe2");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {sessions::socket_fd(ends[0]), sessions::socket_fd(ends[1])};
}

// The launcher's own environment without the variables that are set anew: of two values programs
// see the first.
std::vector<std::string> environment_of(const options& o, int rank, int ranks,
                                        const rank_placement& place, const meeting_point& m) {
  std::vector<std::string> mine{"ORIEL_RANK=" + std::to_string(rank),
                                "ORIEL_SIZE=" + std::to_string(ranks), "ORIEL_ROOT=" + m.root,
                                "ORIEL_JOB_SECRET=" + m.secret};
  if (!m.parent.empty()) mine.push_back("ORIEL_PARENT=" + m.parent);
  if (m.socket.valid()) mine.push_back("ORIEL_ROOT_FD=" + std::to_string(m.socket.get()));
  if (o.memory_alloc_kinds) mine.push_back("ORIEL_MEMORY_ALLOC_KINDS=" + *o.memory_alloc_kinds);
  if (!place.node_id.empty()) mine.push_back("ORIEL_NODE_ID=" + place.node_id);
  // Else libraries of psm, which a distribution's libfabric may bring, take the signals of crashes
  // as soon as they are loaded and end the rank with status 1.
  for (const char* const name : {"IPATH_NO_BACKTRACE", "HFI_NO_BACKTRACE"})
    if (std::getenv(name) == nullptr) mine.push_back(std::string(name) + "=1");
  // Ranks that share this machine's network communicate within it.
  if (place.network < 0 && std::getenv("ORIEL_INTERFACE") == nullptr)
    mine.emplace_back("ORIEL_INTERFACE=lo");

  std::vector<std::string_view> hidden{"ORIEL_PARENT=", "ORIEL_ROOT_FD="};
  // A network namespace is a host of its own, whatever ORIEL_NODE_ID the launcher itself has.
  if (place.network >= 0) hidden.emplace_back("ORIEL_NODE_ID=");
  for (const std::string_view text : mine) hidden.push_back(text.substr(0, text.find('=') + 1));

  std::vector<std::string> variables = mine;
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string_view text = *v;
    if (std::none_of(hidden.begin(), hidden.end(),
                     [&](std::string_view name) { return text.starts_with(name); }))
      variables.emplace_back(text);
  }
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> p;
  p.reserve(strings.size() + 1);
  for (std::string& s : strings) p.push_back(s.data());
  p.push_back(nullptr);
  return p;
}

// What a child needs between fork and exec, where nothing may be allocated.
struct child_plan {
  int rank;
  rank_placement place;
  pid_t launcher;
  int meeting;   // the socket with which it listens; -1: none
  int out, err;  // -1: the launcher's
  int failure;   // takes the errno of a command that cannot be executed
  const char* program;
  char* const* command;
  char* const* variables;
};

[[noreturn]] void become_rank(const child_plan& plan) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != plan.launcher) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (plan.place.processor >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(plan.place.processor, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  if (plan.meeting >= 0) fcntl(plan.meeting, F_SETFD, 0);
  if (plan.rank != 0) {
    if (const int null = open("/dev/null", O_RDONLY); null >= 0) dup2(null, STDIN_FILENO);
  }
  if (plan.out >= 0) dup2(plan.out, STDOUT_FILENO);
  if (plan.err >= 0) dup2(plan.err, STDERR_FILENO);
  if (plan.place.network >= 0 && setns(plan.place.network, CLONE_NEWNET) != 0) {
    const char* const why = std::strerror(errno);
    dprintf(STDERR_FILENO, "%s: rank %d cannot enter its network namespace: %s\n", plan.program,
            plan.rank, why);
    _exit(126);
  }
  execvpe(plan.command[0], plan.command, plan.variables);
  const int failure = errno;
  if (write(plan.failure, &failure, sizeof failure) != sizeof failure) _exit(126);
  _exit(failure == ENOENT ? 127 : 126);
}

// Waits until the child has become the command, or reports why it could not: once for the job, and
// before another rank's end can end this one.
void report_failure(const options& o, int rank, channel&& failure) {
  failure.write = {};
  pollfd told{failure.read.get(), POLLIN, 0};
  while (poll(&told, 1, -1) < 0 && errno == EINTR) {
  }
  int why = 0;
  if (read(failure.read.get(), &why, sizeof why) == sizeof why && rank == 0)
    std::fprintf(stderr, "%s: cannot execute '%s': %s\n", o.program.c_str(), o.command[0].c_str(),
                 std::strerror(why));
}

}  // namespace

rank_process spawn(const options& o, int rank, int ranks, const rank_placement& place,
                   const meeting_point& m) {
  std::vector<std::string> words = o.command;
  std::vector<std::string> variables = environment_of(o, rank, ranks, place, m);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  channel out, err, failure = make_channel();
  if (o.tag) {
    out = make_channel();
    err = make_channel();
  }
  const child_plan plan{rank,
                        place,
                        getpid(),
                        m.socket.get(),
                        out.write.get(),
                        err.write.get(),
                        failure.write.get(),
                        o.program.c_str(),
                        argv.data(),
                        envp.data()};
  const pid_t pid = fork();
  if (pid < 0) sessions::system_failure("fork");
  if (pid == 0) become_rank(plan);
  setpgid(pid, pid);  // in both, so that the group exists whichever runs first
  rank_process p;
  p.pid = pid;
  p.handle = sessions::socket_fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!p.handle.valid()) {
    const int why = errno;
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    errno = why;
    sessions::system_failure("pidfd_open");
  }
  p.out = std::move(out.read);
  p.err = std::move(err.read);
  report_failure(o, rank, std::move(failure));
  return p;
}

}  // namespace oriel::tools
