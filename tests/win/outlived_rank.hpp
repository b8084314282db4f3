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
#include "tools/run/rendezvous_socket.hpp"

namespace oriel::testing {

// Has each rank return what `play(rank)` does: rank 1 is to kill itself, and rank 0 to return 0.
// Takes 20 s at most.
template <class Play>
void expect_rank_0_outlives_rank_1(bool on_one_node, Play play) {
  const tools::listener root = tools::listen_on();
  std::array<pid_t, 2> children{};
  for (int r = 0; r < 2; ++r) {
    children[static_cast<std::size_t>(r)] = fork();
    if (children[static_cast<std::size_t>(r)] != 0) continue;
    alarm(20);
    setenv("ORIEL_RANK", std::to_string(r).c_str(), 1);
    setenv("ORIEL_SIZE", "2", 1);
    setenv("ORIEL_ROOT", root.address.c_str(), 1);
    if (r == 0) setenv("ORIEL_ROOT_FD", std::to_string(root.socket.get()).c_str(), 1);
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
