// Whose the signals of crashes are while a session opens, and afterwards.
#include "session/crash_signals.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "oriel/oriel.hpp"

namespace oriel::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::Not;

void programs_own(int) {}
void somebody_elses(int) {}

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ASSERT_EQ(sigaction(signal, &action, nullptr), 0);
}
void (*handler_of(int signal))(int) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler;
}
// The file that a handler's code is in; empty for the default.
std::string file_of(void (*handler)(int)) {
  Dl_info where{};
  return dladdr(reinterpret_cast<void*>(handler), &where) != 0 ? where.dli_fname : "";
}

// First, since the other test takes away what libraries left when they were loaded.
TEST(CrashSignals, AreNoLibrarysOnceASessionIsOpen) {
  set_handler(SIGABRT, programs_own);
  {
    const session opened;
    for (const int signal : sessions::crash_signals::kept) {
      const auto handler = handler_of(signal);
      if (signal == SIGABRT)
        EXPECT_EQ(handler, &programs_own);
      else
        EXPECT_THAT(file_of(handler), Not(ContainsRegex("psm|infinipath"))) << signal;
    }
  }
  set_handler(SIGABRT, SIG_DFL);
}

TEST(CrashSignals, AreAsTheyWereWhateverIsDoneMeanwhile) {
  for (const int signal : sessions::crash_signals::kept) {
    for (const auto before : {SIG_DFL, SIG_IGN, &programs_own}) {
      set_handler(signal, before);
      {
        const sessions::crash_signals keep;
        set_handler(signal, somebody_elses);
      }
      EXPECT_EQ(handler_of(signal), before) << signal;
    }
    set_handler(signal, SIG_DFL);
  }
}

}  // namespace
}  // namespace oriel::testing
