#include "session/launcher/hosts/network_namespace.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "oriel/errc.hpp"

namespace oriel::launch {
namespace {

[[noreturn]] void system_failure(const std::string& what, int number) {
  throw error(errc::system, what + ": " + std::strerror(number));
}

bool write_file(const char* path, const std::string& text) {
  const boot::socket_fd file(open(path, O_WRONLY | O_CLOEXEC));
  return file.valid() &&
         write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string same_number(unsigned id) {
  return std::to_string(id) + " " + std::to_string(id) + " 1";
}

bool enter_user_namespace() {
  const std::string user = same_number(geteuid());
  const std::string group = same_number(getegid());
  return unshare(CLONE_NEWUSER) == 0 && write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", user) && write_file("/proc/self/gid_map", group);
}

bool enter_network_namespace() {
  return unshare(CLONE_NEWNET) == 0;
}

// The errno that `work` leaves in a child of its own, 0 when it succeeds.
template <class Work>
int try_in_child(Work work) {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(work() ? 0 : errno);
  int how = 0;
  if (waitpid(child, &how, 0) != child || !WIFEXITED(how)) return ECHILD;
  return WEXITSTATUS(how);
}

boot::socket_fd present_namespace() {
  boot::socket_fd fd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) system_failure("cannot open this thread's network namespace", errno);
  return fd;
}

void enter(int descriptor) {
  if (setns(descriptor, CLONE_NEWNET) != 0)
    system_failure("cannot enter a network namespace", errno);
}

}  // namespace

void obtain_right_to_namespaces() {
  if (try_in_child(enter_network_namespace) == 0) return;
  // Tried out first: a user namespace cannot be left again, and is of no use where the system
  // grants it no rights.
  if (const int failure =
          try_in_child([] { return enter_user_namespace() && enter_network_namespace(); }))
    system_failure("this user may not make network namespaces", failure);
  if (!enter_user_namespace()) system_failure("cannot enter a user namespace", errno);
}

network_namespace::network_namespace() {
  const boot::socket_fd home = present_namespace();
  if (!enter_network_namespace()) system_failure("cannot make a network namespace", errno);
  fd_ = present_namespace();
  enter(home.get());
}

network_namespace::visit::visit(const network_namespace& where) : home_(present_namespace()) {
  enter(where.descriptor());
}

network_namespace::visit::~visit() {
  // It was there a moment ago and is held open; going on in the wrong place would be worse.
  if (setns(home_.get(), CLONE_NEWNET) != 0) std::abort();
}

}  // namespace oriel::launch
