#include "tests/sim/job/machine.hpp"

#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>

#include "session/node/launcher_cores.hpp"
#include "session/node/topology.hpp"
#include "tests/sim/scheduler.hpp"

namespace oriel::sim {

machine* machine::current_ = nullptr;

machine::machine() noexcept {
  current_ = this;
}

machine::~machine() {
  current_ = nullptr;
}

char* machine::variable(const char* name) {
  std::string key = name;
  if (key == "ORIEL_NODE_ID") {
    const auto me = static_cast<std::size_t>(scheduler::active()->process());
    key = me < nodes.size() ? "node " + std::to_string(nodes[me]) : "node of " + std::to_string(me);
    variables.emplace(key, key);
  }
  const auto found = variables.find(key);
  return found == variables.end() ? nullptr : found->second.data();
}

}  // namespace oriel::sim

namespace oriel::sessions {

// Pretended processes have no cores.
void use_launcher_cores() noexcept {}

int distance_to_pci(unsigned, unsigned, unsigned, unsigned) {
  return unknown_distance;
}

}  // namespace oriel::sessions

// The linker has these called in the place of the system's.
extern "C" {

char* __real_getenv(const char* name);
char* __wrap_getenv(const char* name) {
  auto* const here = oriel::sim::machine::of_run();
  return here == nullptr || oriel::sim::scheduler::active() == nullptr ? __real_getenv(name)
                                                                       : here->variable(name);
}

ssize_t __real_getrandom(void* to, std::size_t bytes, unsigned flags);
ssize_t __wrap_getrandom(void* to, std::size_t bytes, unsigned flags) {
  auto* const run = oriel::sim::scheduler::active();
  if (run == nullptr) return __real_getrandom(to, bytes, flags);
  for (std::size_t i = 0; i < bytes; ++i)
    static_cast<std::byte*>(to)[i] = static_cast<std::byte>(run->draw(256));
  return static_cast<ssize_t>(bytes);
}

int __real_get_nprocs();
int __wrap_get_nprocs() {
  const auto* const here = oriel::sim::machine::of_run();
  return here == nullptr ? __real_get_nprocs() : here->processors;
}

long __real_sysconf(int name);
long __wrap_sysconf(int name) {
  const auto* const here = oriel::sim::machine::of_run();
  return name != _SC_PHYS_PAGES || here == nullptr || here->memory == 0
             ? __real_sysconf(name)
             : static_cast<long>(here->memory) / __real_sysconf(_SC_PAGESIZE);
}

int __real_madvise(void* at, std::size_t bytes, int advice);
int __wrap_madvise(void* at, std::size_t bytes, int advice) {
  const auto* const here = oriel::sim::machine::of_run();
  const bool late = advice == MADV_POPULATE_WRITE && here != nullptr && here->memory != 0;
  return late ? 0 : __real_madvise(at, bytes, advice);
}
}
