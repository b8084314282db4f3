// The decisions of a window as a whole, as pure functions of what was promised and what is there.
// Construction calls them once; nothing is decided later. tests/win/construct/window_plan_test.cpp
// crosses every input. What is decided for each rank is in route/.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "oriel/assertion.hpp"

namespace oriel::win {

enum class flavor : std::uint8_t { allocate, create };

// Where a rank's segment lies.
enum class place : std::uint8_t {
  nowhere,         // it has none; only attach can add one
  node_memory,     // in the memory that every rank of the node maps
  private_memory,  // in its own address space only
  managed_memory,  // likewise, and moved between host and device by its runtime
  device_memory,   // of a device: the host cannot load or store it
};

// The atomicity domain: who performs the atomics of a window, the same for all ranks.
enum class domain : std::uint8_t {
  cpu,     // atomic instructions on mapped memory
  owner,   // the owner's agent; ranks that map the memory use the same instructions directly
  device,  // kernels, of system scope; memory that is not a device's as in `owner`
};

constexpr std::string_view name(domain d) noexcept {
  constexpr std::array<std::string_view, 3> names{"cpu", "owner", "device"};
  return names[static_cast<std::size_t>(d)];
}

// The team as a whole.
struct window_facts {
  flavor how = flavor::allocate;
  int ranks = 1;
  bool one_node = true;
  bool any_private = false;    // some rank's segment is private, and another rank shares its node
  bool neighbours = true;      // some node has several ranks of the team
  bool any_device = false;     // some rank's segment is device memory
  bool any_closed = false;     // some such memory cannot be opened by another rank of its node
  bool any_unlinked = false;   // or kernels of another rank are not atomic with others on it
  bool any_managed = false;    // some rank's segment is managed memory
  bool registered = true;      // the fabric reads and writes all the device memory
  bool device_atomics = true;  // kernels do atomics on all the device memory
  bool asynchronous = false;   // targets may be elsewhere in epochs of any kind
};

struct window_plan {
  domain atomics = domain::cpu;
  // Ranks that expose private memory need a thread that serves their node's atomics while they
  // compute.
  bool agent = false;
  // Some ranks are reached through the fabric,
  bool remote = false;
  // and a thread serves them while the owner computes: epochs that the owner takes no part in, and
  // all where that was requested.
  bool remote_agent = false;
  // Some memory is a device's: operations go through its runtime.
  bool device = false;
  // and the fabric reads and writes it, where it is another node's.
  bool registered = false;
  // and kernels do atomics on all of it.
  bool kernels = false;
  // Every access is a load or a store: the segment table is complete and shared by the node.
  bool all_mapped = true;
};

// What lets a rank access another while that one computes.
inline constexpr assertion_set passive_target =
    assertion::shared_lock | assertion::exclusive_lock | assertion::notify | assertion::attach;

constexpr window_plan plan_window(assertion_set promised, const window_facts& facts) noexcept {
  window_plan plan;
  plan.agent = facts.neighbours && facts.ranks > 1 &&
               (facts.any_private || facts.any_closed || facts.any_unlinked ||
                promised.has(assertion::attach));
  plan.remote = !facts.one_node;
  plan.remote_agent = plan.remote && (promised.has_any(passive_target) || facts.asynchronous);
  plan.device = facts.any_device;
  plan.kernels = facts.any_device && facts.device_atomics;
  plan.registered = facts.any_device && plan.remote && facts.registered;
  plan.all_mapped = !plan.agent && !plan.remote && !plan.device && !facts.any_managed &&
                    !promised.has(assertion::attach);
  plan.atomics = plan.device                 ? domain::device
                 : plan.agent || plan.remote ? domain::owner
                                             : domain::cpu;
  return plan;
}

// Why `a` cannot be provided to a team with these facts; empty when it can. `one_private` describes
// a pair whose target exposes private memory.
constexpr std::string_view refusal(assertion a, const window_facts& facts) noexcept {
  const bool beyond_self = facts.ranks > 1;
  switch (a) {
    case assertion::attach:
      if (facts.how == flavor::allocate) return "attach is for windows made by create";
      return facts.any_device || facts.any_managed ? "windows that attach hold the host's memory"
                                                   : "";
    case assertion::local_load_store:
      return facts.any_device ? "the host cannot load or store device memory" : "";
    case assertion::ordered_replace:
    case assertion::ordered_accumulate:
      return facts.any_device && !facts.device_atomics
                 ? "there are no atomics on this device memory"
                 : "";
    case assertion::remote_load_store:
      if (!facts.one_node) return "the ranks are on several nodes";
      [[fallthrough]];
    case assertion::node_load_store:
      if (facts.any_device) return "the host cannot load or store device memory";
      if (facts.any_managed && facts.neighbours)
        return "managed memory cannot be mapped by other processes";
      if (beyond_self && facts.any_private)
        return "the segment is in private memory (session::alloc_mem gives memory that is mapped)";
      return "";
    default:
      return "";
  }
}

}  // namespace oriel::win
