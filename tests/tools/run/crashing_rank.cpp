// A rank that opens a session and then ends by the signal whose number is its argument; with `own`
// after it, by a handler of its own, with status 3.
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

#include "oriel/oriel.hpp"

// Sanitizers would take the signals as well.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_abort=0";
}
extern "C" const char* __tsan_default_options() {
  return __asan_default_options();
}

int main(int argc, char** argv) {
  const int signal = argc > 1 ? std::atoi(argv[1]) : 0;
  if (argc > 2 && std::string_view(argv[2]) == "own") std::signal(signal, [](int) { _exit(3); });
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  oriel::session job;
  job.world().barrier().or_throw();
  std::raise(signal);
  return 1;
}
