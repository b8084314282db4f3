#include "tools/info/apart.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "session/system_failure.hpp"

namespace oriel::tools {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct unmap {
  void operator()(stage* s) const noexcept { munmap(s, sizeof *s); }
};

std::unique_ptr<stage, unmap> make_stage() {
  void* const memory =
      mmap(nullptr, sizeof(stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) sessions::system_failure("mmap failed");
  return std::unique_ptr<stage, unmap>(new (memory) stage{});
}

void report(stage& shared, int side, const json& said) {
  const auto s = static_cast<std::size_t>(side);
  const std::string text = said.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() >= stage::longest_report) return;
  std::memcpy(shared.reports[s].data(), text.c_str(), text.size() + 1);
  shared.reported[s] = true;
}

[[noreturn]] void be(int side, pid_t parent, stage& shared, const side_work& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  // Providers print when they abort; the report states that in its own words.
  if (const int null = open("/dev/null", O_WRONLY); null >= 0) {
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  // Libraries of some providers turn a crash into an exit when they are loaded.
  for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(crash, SIG_DFL);
  try {
    report(shared, side, work(side, shared));
  } catch (const std::exception& e) {
    report(shared, side, {{"failed", e.what()}});
  }
  _exit(0);
}

struct child {
  pid_t pid = -1;
  bool ended = false;
  int how = 0;
};

// Looks at every one; whether all have ended.
bool look(std::vector<child>& children) {
  bool all = true;
  for (child& c : children) {
    if (!c.ended && waitpid(c.pid, &c.how, WNOHANG) == c.pid) c.ended = true;
    all = all && c.ended;
  }
  return all;
}

// SIGTERM first: some providers have files to remove.
void end(std::vector<child>& children) {
  constexpr milliseconds grace{300};
  for (const int signal : {SIGTERM, SIGKILL}) {
    for (const child& c : children)
      if (!c.ended) kill(c.pid, signal);
    const auto until = clock::now() + grace;
    while (!look(children) && (signal == SIGKILL || clock::now() < until))
      std::this_thread::sleep_for(milliseconds(1));
  }
}

}  // namespace

json apart(int sides, milliseconds limit, const side_work& work) {
  const auto shared = make_stage();
  const pid_t parent = getpid();
  std::vector<child> children(static_cast<std::size_t>(sides));
  const auto until = clock::now() + limit;
  int started = 0;
  for (child& c : children) {
    c.pid = fork();
    if (c.pid == 0) be(started, parent, *shared, work);
    if (c.pid < 0) {
      children.resize(static_cast<std::size_t>(started));
      end(children);
      sessions::system_failure("fork failed");
    }
    ++started;
  }
  // One that crashed or threw will be waited for in vain by the other.
  const auto gone_wrong = [&](const child& c) {
    const auto s = static_cast<std::size_t>(&c - children.data());
    return c.ended &&
           (c.how != 0 || std::strstr(shared->reports[s].data(), "\"failed\"") != nullptr);
  };
  while (!look(children) && std::none_of(children.begin(), children.end(), gone_wrong) &&
         clock::now() < until)
    std::this_thread::sleep_for(milliseconds(1));

  std::vector<bool> in_time;
  in_time.reserve(children.size());
  for (const child& c : children) in_time.push_back(c.ended);
  end(children);
  const auto said = [&](std::size_t s) {
    return shared->reported[s] ? json::parse(shared->reports[s].data()) : json();
  };
  const auto who = [&](std::size_t s) -> std::string {
    return sides == 1 ? "it" : s == 0 ? "the origin" : "the target";
  };
  json result = said(0);
  if (result.is_object() && !result.contains("failed")) return result;
  for (std::size_t s = 0; s < children.size(); ++s) {
    if (json j = said(s); j.is_object() && j.contains("failed")) return j;
    const int how = children[s].how;
    if (!in_time[s] || how == 0) continue;
    if (WIFEXITED(how))
      return {{"failed", who(s) + " exited with status " + std::to_string(WEXITSTATUS(how))}};
    return {{"failed", who(s) + " was killed by signal " + std::to_string(WTERMSIG(how)) + " (" +
                           strsignal(WTERMSIG(how)) + ")"}};
  }
  return {{"failed", "it had not ended after " + std::to_string(limit.count()) + " ms"}};
}

}  // namespace oriel::tools
