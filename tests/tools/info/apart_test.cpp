#include "tools/info/apart.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

namespace {

using namespace std::chrono_literals;
using oriel::tools::apart;
using oriel::tools::json;
using oriel::tools::stage;

std::string failure_of(const json& j) {
  return j.value("failed", "nothing failed");
}

TEST(Apart, TheOriginsResultComesBack) {
  const json got = apart(2, 5s, [](int side, stage& shared) -> json {
    shared.window[static_cast<std::size_t>(side)] = 7;
    while (shared.window[static_cast<std::size_t>(1 - side)] != 7) usleep(100);
    return {{"side", side}};
  });
  EXPECT_EQ(got.dump(), R"({"side":0})");
}

TEST(Apart, ACrashIsTold) {
  const auto started = std::chrono::steady_clock::now();
  const json got = apart(2, 20s, [](int side, stage&) -> json {
    if (side == 1) raise(SIGKILL);
    std::this_thread::sleep_for(60s);
    return json::object();
  });
  EXPECT_NE(failure_of(got).find("the target was killed by signal 9"), std::string::npos)
      << failure_of(got);
  EXPECT_LT(std::chrono::steady_clock::now() - started, 10s);
}

TEST(Apart, AHangEnds) {
  const json got = apart(1, 200ms, [](int, stage&) -> json {
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
  });
  EXPECT_EQ(failure_of(got), "it had not ended after 200 ms");
}

TEST(Apart, AnExceptionIsTold) {
  const json got =
      apart(1, 5s, [](int, stage&) -> json { throw std::runtime_error("no such device"); });
  EXPECT_EQ(failure_of(got), "no such device");
}

TEST(Apart, AnExitIsTold) {
  const json got = apart(1, 5s, [](int, stage&) -> json { _exit(3); });
  EXPECT_EQ(failure_of(got), "it exited with status 3");
}

TEST(Apart, WhatWasSaidBeforeAHangCounts) {
  const json got = apart(2, 300ms, [](int side, stage&) -> json {
    if (side == 1)
      for (;;) pause();
    return {{"works", true}};
  });
  EXPECT_TRUE(got.value("works", false)) << got;
}

}  // namespace
