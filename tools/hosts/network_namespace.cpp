#include "tools/hosts/network_namespace.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include "oriel/errc.hpp"

namespace oriel::tools {
namespace {

[[noreturn]] void system_failure(const std::string& what, int number) {
  throw error(errc::system, what + ": " + std::strerror(number));
}

bool write_file(const char* path, const std::string& text) {
  const sessions::socket_fd file(open(path, O_WRONLY | O_CLOEXEC));
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

// Network namespaces are a thread's: what is done to this one's ends with it.
void on_own_thread(const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
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
  on_own_thread([this] {
    if (!enter_network_namespace()) system_failure("cannot make a network namespace", errno);
    fd_ = sessions::socket_fd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!fd_.valid()) system_failure("cannot open a network namespace", errno);
  });
}

void network_namespace::visit(const std::function<void()>& work) const {
  on_own_thread([&] {
    if (setns(descriptor(), CLONE_NEWNET) != 0)
      system_failure("cannot enter a network namespace", errno);
    work();
  });
}

}  // namespace oriel::tools
