#include "bench/limits/processes.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "bench/limits/patience.hpp"

namespace bench {
namespace {

// The processors that this process may use.
std::vector<int> processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> all;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) all.push_back(cpu);
  return all;
}

void bind_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

void end_within(pid_t child, std::chrono::seconds grace) {
  const auto until = std::chrono::steady_clock::now() + grace;
  while (waitpid(child, nullptr, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) kill(child, SIGKILL);
    usleep(1000);
  }
}

}  // namespace

processes::processes(int size) : size_(size) {
  const std::vector<int> cpus = processors();
  crowded_ = cpus.size() < static_cast<std::size_t>(size);
  for (int child = 1; child < size && rank_ == 0; ++child) {
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error(std::string("socketpair: ") + std::strerror(errno));
    const pid_t pid = fork();
    if (pid < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    if (pid != 0) {
      close(ends[1]);
      sockets_.push_back(ends[0]);
      children_.push_back(pid);
      continue;
    }
    rank_ = child;
    children_.clear();
    // An end held open here would hide the end of rank 0 from its other children.
    for (const int other : sockets_) close(other);
    close(ends[0]);
    sockets_ = {ends[1]};
  }
  if (!crowded_) bind_to(cpus[static_cast<std::size_t>(rank_)]);
}

processes::~processes() {
  // To the others this is the end, which they reach by themselves unless they hang.
  for (const int s : sockets_) close(s);
  for (const pid_t child : children_) end_within(child, std::chrono::seconds(2));
}

void processes::put(int socket, const void* from, std::size_t bytes) {
  // A socket pair's buffer is larger than anything sent here.
  if (send(socket, from, bytes, MSG_NOSIGNAL) != static_cast<ssize_t>(bytes))
    throw other_ended("a process of the measurement ended");
}

void processes::take(int socket, void* to, std::size_t bytes) {
  // A system call now and then only: progress is what this process is here for.
  constexpr int progress_a_look = 16;
  patience wait("another process", crowded_);
  for (std::size_t have = 0; have < bytes;) {
    const ssize_t n = recv(socket, static_cast<char*>(to) + have, bytes - have, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
      throw other_ended("a process of the measurement ended");
    if (n > 0) {
      have += static_cast<std::size_t>(n);
      continue;
    }
    for (int i = 0; i < progress_a_look; ++i) progress_();
    wait.turn();
  }
}

void processes::barrier() {
  char here = 0;
  if (rank_ == 0) {
    for (const int s : sockets_) take(s, &here, 1);
    for (const int s : sockets_) put(s, &here, 1);
  } else {
    put(sockets_[0], &here, 1);
    take(sockets_[0], &here, 1);
  }
}

double processes::agree(double mine) {
  if (rank_ != 0)
    take(sockets_[0], &mine, sizeof mine);
  else
    for (const int s : sockets_) put(s, &mine, sizeof mine);
  return mine;
}

std::vector<std::string> processes::gather(const std::string& mine) {
  std::vector<std::string> all(static_cast<std::size_t>(size_), std::string(mine.size(), '\0'));
  if (rank_ == 0) {
    all[0] = mine;
    for (std::size_t i = 1; i < all.size(); ++i) take(sockets_[i - 1], all[i].data(), mine.size());
    for (const int s : sockets_)
      for (const std::string& one : all) put(s, one.data(), one.size());
  } else {
    put(sockets_[0], mine.data(), mine.size());
    for (std::string& one : all) take(sockets_[0], one.data(), one.size());
  }
  return all;
}

}  // namespace bench
