#include "session/launcher/spawn.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "oriel/errc.hpp"

namespace oriel::launch {
namespace {

[[noreturn]] void system_failure(const char* what) {
  throw error(errc::system, std::string(what) + ": " + std::strerror(errno));
}

struct channel {
  boot::socket_fd read, write;
};

channel make_channel() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) system_failure("pipe2");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {boot::socket_fd(ends[0]), boot::socket_fd(ends[1])};
}

std::vector<std::string> environment_of(const options& o, int rank, const meeting_point& m) {
  std::vector<std::string> variables;
  for (char** v = environ; *v != nullptr; ++v) {
    const std::string_view text = *v;
    if (!text.starts_with("ORIEL_RANK=") && !text.starts_with("ORIEL_SIZE=") &&
        !text.starts_with("ORIEL_ROOT"))
      variables.emplace_back(text);
  }
  variables.push_back("ORIEL_RANK=" + std::to_string(rank));
  variables.push_back("ORIEL_SIZE=" + std::to_string(o.ranks));
  variables.push_back("ORIEL_ROOT=" + m.address);
  variables.push_back("ORIEL_JOB_SECRET=" + m.secret);
  if (rank == 0) variables.push_back("ORIEL_ROOT_FD=" + std::to_string(m.socket.get()));
  if (o.memory_alloc_kinds)
    variables.push_back("ORIEL_MEMORY_ALLOC_KINDS=" + *o.memory_alloc_kinds);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> p;
  for (std::string& s : strings) p.push_back(s.data());
  p.push_back(nullptr);
  return p;
}

// Between fork and exec: only what is safe in a child of one thread.
[[noreturn]] void become_rank(int rank, int processor, const meeting_point& m, pid_t launcher,
                              int out, int err, char* const* command, char* const* variables) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(1);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (processor >= 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  if (rank == 0) {
    fcntl(m.socket.get(), F_SETFD, 0);
  } else if (const int null = open("/dev/null", O_RDONLY); null >= 0) {
    dup2(null, STDIN_FILENO);
  }
  if (out >= 0) dup2(out, STDOUT_FILENO);
  if (err >= 0) dup2(err, STDERR_FILENO);
  execvpe(command[0], command, variables);
  const int failure = errno;
  if (rank == 0) {
    const char* const why = std::strerror(failure);
    dprintf(STDERR_FILENO, "oriel-run: cannot execute '%s': %s\n", command[0], why);
  }
  _exit(failure == ENOENT ? 127 : 126);
}

}  // namespace

rank_process spawn(const options& o, int rank, const meeting_point& m, int processor) {
  std::vector<std::string> words = o.command;
  std::vector<std::string> variables = environment_of(o, rank, m);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> envp = pointers(variables);
  channel out, err;
  if (o.tag) {
    out = make_channel();
    err = make_channel();
  }
  const pid_t launcher = getpid();
  const pid_t pid = fork();
  if (pid < 0) system_failure("fork");
  if (pid == 0)
    become_rank(rank, processor, m, launcher, out.write.get(), err.write.get(), argv.data(),
                envp.data());
  setpgid(pid, pid);  // in both, so that the group exists whoever is first
  rank_process p;
  p.pid = pid;
  p.handle = boot::socket_fd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!p.handle.valid()) system_failure("pidfd_open");
  p.out = std::move(out.read);
  p.err = std::move(err.read);
  return p;
}

}  // namespace oriel::launch
