#include "tests/drivers/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace oriel::test_driver {
namespace {

// The ledger of this process; a forked child begins its own.
int ledger_of_process() {
  static std::mutex mutex;
  static int fd = -1;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (owner == getpid()) return fd;
  owner = getpid();
  const char* prefix = std::getenv("ORIEL_TEST_LEDGER");
  if (prefix == nullptr || *prefix == '\0') return fd = -1;
  const std::string path = std::string(prefix) + "." + std::to_string(owner);
  return fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void write_line(std::string line) {
  const int fd = ledger_of_process();
  if (fd < 0) return;
  line += '\n';
  if (write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    std::fprintf(stderr, "A line of the test driver's ledger was lost: %s", line.c_str());
}

}  // namespace

void record(std::string_view call, std::string_view arguments, std::string_view result) {
  std::string line(call);
  line += '(';
  line += arguments;
  line += ") = ";
  line += result;
  write_line(std::move(line));
}

void fault(std::string_view rule, std::string_view detail) {
  std::string line("FAULT ");
  line += rule;
  line += ": ";
  line += detail;
  write_line(std::move(line));
}

std::string text_of(const void* pointer) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", pointer);
  return text;
}

}  // namespace oriel::test_driver
