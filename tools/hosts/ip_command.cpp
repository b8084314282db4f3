#include "tools/hosts/ip_command.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "oriel/errc.hpp"
#include "session/system_failure.hpp"

namespace oriel::tools {
namespace {

// Where many namespaces have just ended, Linux has been seen to take ten seconds over one link.
constexpr unsigned patience_s = 40;

sessions::socket_fd file_with(std::string_view text) {
  sessions::socket_fd file(memfd_create("ip", MFD_CLOEXEC));
  if (!file.valid() ||
      write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      lseek(file.get(), 0, SEEK_SET) != 0)
    sessions::system_failure("cannot keep a text in memory");
  return file;
}

std::string first_line_of(const sessions::socket_fd& file) {
  std::array<char, 512> bytes;
  const ssize_t n = pread(file.get(), bytes.data(), bytes.size(), 0);
  const std::string_view text(bytes.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  return std::string(text.substr(0, text.find('\n')));
}

// A user's capabilities in a namespace of its own end at exec, unless they are ambient.
void keep_network_rights() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &head, sets.data()) != 0) return;
  for (__user_cap_data_struct& s : sets) s.inheritable = s.permitted;
  if (syscall(SYS_capset, &head, sets.data()) != 0) return;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_NET_ADMIN, 0, 0);
}

[[noreturn]] void become_ip(int where, int other, int input, int errors) {
  dup2(input, STDIN_FILENO);
  dup2(errors, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  alarm(patience_s);
  if (setns(where, CLONE_NEWNET) != 0) {
    dprintf(STDERR_FILENO, "cannot enter a network namespace: %s\n", std::strerror(errno));
    _exit(1);
  }
  if (other >= 0) fcntl(other, F_SETFD, 0);
  if (geteuid() != 0) keep_network_rights();
  char name[] = "ip", batch[] = "-batch", standard_input[] = "-";
  char* const words[] = {name, batch, standard_input, nullptr};
  execvp(name, words);
  // Not on every user's path.
  for (const char* path : {"/usr/sbin/ip", "/sbin/ip"}) execv(path, words);
  dprintf(STDERR_FILENO, "cannot execute it (package iproute2): %s\n", std::strerror(errno));
  _exit(1);
}

}  // namespace

std::string name_of(const network_namespace& other) {
  return "/proc/self/fd/" + std::to_string(other.descriptor());
}

void run_ip(const network_namespace& where, const std::string& commands,
            const network_namespace* other) {
  const sessions::socket_fd input = file_with(commands);
  const sessions::socket_fd errors = file_with("");
  const pid_t child = fork();
  if (child < 0) sessions::system_failure("fork");
  if (child == 0)
    become_ip(where.descriptor(), other == nullptr ? -1 : other->descriptor(), input.get(),
              errors.get());
  int how = 0;
  while (waitpid(child, &how, 0) < 0)
    if (errno != EINTR) sessions::system_failure("waitpid");
  if (WIFEXITED(how) && WEXITSTATUS(how) == 0) return;
  std::string said = first_line_of(errors);
  if (said.empty())
    said = WIFSIGNALED(how) ? "it was ended by signal " + std::to_string(WTERMSIG(how))
                            : "it ended with status " + std::to_string(WEXITSTATUS(how));
  throw error(errc::system, "ip: " + said);
}

}  // namespace oriel::tools
