// Processes that have nothing in common but that they watch over each other, to be killed, stopped
// and besieged by a test.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "session/bootstrap/rendezvous.hpp"
#include "session/bootstrap/socket_address.hpp"
#include "session/node/liveness.hpp"
#include "tools/run/rendezvous_socket.hpp"

namespace oriel::testing {

using steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Polls, as somebody who computes would see it.
template <class Done>
bool becomes_true(Done done, milliseconds within = seconds(10)) {
  const auto until = steady::now() + within;
  while (!done()) {
    if (steady::now() > until) return false;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return true;
}

class watched_job {
 public:
  // What rank `r` does once all are linked, and what it found wrong; empty when all was well. `end`
  // reports that the parent has done its part.
  struct place {
    int rank;
    sessions::liveness& others;
    std::function<bool()> end;
  };
  using part = std::function<std::string(place&)>;

  watched_job(int ranks, const sessions::liveness::settings& how, part each) {
    const sessions::socket_fd listening = tools::listen_on().socket;
    const std::string secret = tools::make_secret();
    EXPECT_EQ(pipe(opened_), 0);
    EXPECT_EQ(pipe(ended_), 0);
    for (int r = 0; r < ranks; ++r) {
      const pid_t child = fork();
      if (child == 0) _exit(be(r, ranks, listening.get(), secret, how, each));
      ranks_.push_back(child);
    }
    close(opened_[1]);
    close(ended_[0]);
  }
  ~watched_job() {
    for (const pid_t p : ranks_)
      if (p > 0) kill(p, SIGKILL), waitpid(p, nullptr, 0);
    close(opened_[0]);
    tell_the_end();
  }
  watched_job(const watched_job&) = delete;
  watched_job& operator=(const watched_job&) = delete;

  // Until every rank has its links.
  bool opens() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      char byte = 0;
      if (read(opened_[0], &byte, 1) != 1 || byte != '+') return false;
    }
    return true;
  }
  void signal(int rank, int number) { kill(ranks_[static_cast<std::size_t>(rank)], number); }
  void tell_the_end() {
    if (ended_[1] >= 0) close(ended_[1]);
    ended_[1] = -1;
  }
  // Whether rank `r` was killed, or else how it has ended: 0 when nothing was wrong.
  int status(int r) {
    pid_t& p = ranks_[static_cast<std::size_t>(r)];
    int how = 0;
    if (p <= 0 || waitpid(p, &how, 0) != p) return -1;
    p = 0;
    return WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  }

 private:
  int be(int r, int ranks, int listening, const std::string& secret,
         const sessions::liveness::settings& how, const part& each) {
    alarm(50);
    close(opened_[0]);
    close(ended_[1]);
    try {
      sessions::job_description about;
      about.rank = r;
      about.size = ranks;
      about.root = {"127.0.0.1", sessions::own_address(listening).port()};
      about.secret = secret;
      if (r == 0) about.root_fd = listening;
      sessions::rendezvous launcher(about);
      const auto memory = sessions::node_memory::make(1, 0);  // of a node of its own
      sessions::liveness others(launcher, *memory, how);
      close(listening);  // this process's
      if (write(opened_[1], "+", 1) != 1) return 3;
      close(opened_[1]);
      const auto end = [this] {
        pollfd p{ended_[0], POLLIN, 0};
        return poll(&p, 1, 0) != 0;
      };
      place here{r, others, end};
      const std::string wrong = each(here);
      if (!wrong.empty()) std::fprintf(stderr, "rank %d: %s\n", r, wrong.c_str());
      return wrong.empty() ? 0 : 1;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "rank %d: stopped by %s\n", r, e.what());
      static_cast<void>(!write(opened_[1], "-", 1));
      return 2;
    }
  }

  std::vector<pid_t> ranks_;
  int opened_[2]{-1, -1};
  int ended_[2]{-1, -1};
};

}  // namespace oriel::testing
