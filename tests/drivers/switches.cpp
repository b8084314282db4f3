#include "tests/drivers/switches.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>
#include <mutex>
#include <string>

#include "tests/support/running.hpp"

namespace oriel::test_driver {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

}  // namespace

int devices() {
  const std::string text(variable("ORIEL_TEST_DEVICES"));
  return text.empty() ? 2 : std::stoi(text);
}

int machine_device(int ordinal) {
  const std::string text(variable("ORIEL_TEST_FIRST_DEVICE"));
  return ordinal + (text.empty() ? 0 : std::stoi(text));
}

std::uint64_t memory_limit() {
  const std::string text(variable("ORIEL_TEST_MEMORY"));
  return text.empty() ? std::uint64_t{8} << 30 : std::stoull(text);
}

unsigned resident_blocks() {
  const std::string text(variable("ORIEL_TEST_ROOM"));
  return text.empty() ? std::numeric_limits<unsigned>::max()
                      : static_cast<unsigned>(std::stoul(text));
}

bool refuses(std::string_view ability) {
  std::string_view rest = variable("ORIEL_TEST_REFUSE");
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    if (rest.substr(0, comma) == ability) return true;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return false;
}

void orphan(int owner) {
  if (variable("ORIEL_TEST_ORPHAN") != std::to_string(owner)) return;
  usleep(200'000);  // what it was about to send to others arrives
  kill(owner, SIGKILL);
  for (int i = 0; i < 1000 && testing::is_running(owner); ++i) usleep(1000);
}

bool must_fail(std::string_view call) {
  static std::mutex mutex;
  static auto& wish = *new std::string;  // outlives the destructors that still call the driver
  static int seen = 0;
  const std::lock_guard lock(mutex);
  const std::string_view now = variable("ORIEL_TEST_FAIL");
  if (now != wish) {
    wish = now;
    seen = 0;
  }
  const auto colon = wish.rfind(':');
  if (colon == std::string::npos || std::string_view(wish).substr(0, colon) != call) return false;
  ++seen;
  const std::string which = wish.substr(colon + 1);
  return which == "*" || seen == std::stoi(which);
}

}  // namespace oriel::test_driver
