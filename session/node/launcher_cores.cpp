#include "session/node/launcher_cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstddef>

namespace oriel::sessions {
namespace {

// Room for 8192 cores, since the kernel refuses less than it counts.
struct cores {
  std::array<cpu_set_t, 8> sets{};

  bool read(pid_t of) noexcept { return sched_getaffinity(of, sizeof sets, sets.data()) == 0; }
  void add(const cores& others) noexcept {
    CPU_OR_S(sizeof sets, sets.data(), sets.data(), others.sets.data());
  }
  void give_to_this_thread() const noexcept { sched_setaffinity(0, sizeof sets, sets.data()); }
};

}  // namespace

void use_launcher_cores() noexcept {
  cores own, launcher;
  if (!own.read(0) || !launcher.read(getppid())) return;
  own.add(launcher);
  own.give_to_this_thread();
}

}  // namespace oriel::sessions
