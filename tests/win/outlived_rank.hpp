// A job of two whose rank 1 dies, in processes of their own, by the rendezvous' environment.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "oriel/errc.hpp"

namespace oriel::testing {

// Has each rank return what `play(rank)` does: rank 1 is to kill itself, and rank 0 to return 0.
// `number`: of the job among those of this process. Takes 20 s at most.
template <class Play>
void expect_rank_0_outlives_rank_1(int number, bool on_one_node, Play play) {
  const int port = 20000 + getpid() % 20000 + number;
  std::array<pid_t, 2> children{};
  for (int r = 0; r < 2; ++r) {
    children[static_cast<std::size_t>(r)] = fork();
    if (children[static_cast<std::size_t>(r)] != 0) continue;
    alarm(20);
    setenv("ORIEL_RANK", std::to_string(r).c_str(), 1);
    setenv("ORIEL_SIZE", "2", 1);
    setenv("ORIEL_ROOT", ("127.0.0.1:" + std::to_string(port)).c_str(), 1);
    if (!on_one_node) setenv("ORIEL_NODE_ID", std::to_string(r).c_str(), 1);
    int code = 3;
    try {
      code = play(r);
    } catch (const error& e) {
      std::fprintf(stderr, "rank %d: %s\n", r, e.what());
    }
    _exit(code);
  }
  int how = 0;
  waitpid(children[1], &how, 0);
  EXPECT_TRUE(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL) << WEXITSTATUS(how);
  waitpid(children[0], &how, 0);
  EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << WEXITSTATUS(how);
}

}  // namespace oriel::testing
