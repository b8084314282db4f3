// The decisions of a window, as pure functions of what was promised and what is there. Construction
// calls them once; nothing is decided later. tests/win/choose_route_test.cpp crosses every input.
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
};

// What a put or get to one peer becomes.
enum class route : std::uint8_t {
  self,        // this process's own memory
  load_store,  // the peer's memory, mapped here
  cma,         // process_vm_readv and process_vm_writev
  am,          // served by the owner's process
  by_segment,  // attach decides for each segment, among the above
  fabric,      // libfabric's remote reads and writes
  none,        // no way
};

// Who performs the atomics of a window, the same for all ranks (DESIGN §5).
enum class domain : std::uint8_t {
  cpu,    // atomic instructions on mapped memory
  owner,  // the owner's agent; ranks that map the memory use the same instructions directly
};

constexpr std::string_view name(route r) noexcept {
  constexpr std::array<std::string_view, 7> names{"self",       "load_store", "cma", "am",
                                                  "by segment", "fabric",     "none"};
  return names[static_cast<std::size_t>(r)];
}
constexpr std::string_view name(domain d) noexcept {
  return d == domain::cpu ? "cpu" : "owner";
}

// One peer as one origin sees it.
struct peer_facts {
  bool same_process = false;
  bool same_node = true;
  place where = place::node_memory;
  bool cma = true;  // the kernel lets the origin read and write the peer's memory
  bool rma = true;  // the fabric's remote writes are known to have arrived
};

struct route_choice {
  route via = route::none;
  std::string_view because;  // what kept it off a faster path; empty on the fastest
};

constexpr route_choice choose_route(assertion_set promised, const peer_facts& peer) noexcept {
  if (peer.same_process && !promised.has(assertion::attach)) return {route::self, ""};
  if (!peer.same_node) {
    if (promised.has(assertion::attach))
      return {route::am, "assertion::attach: only the owner, on another node, knows its segments"};
    if (peer.where == place::nowhere) return {route::none, "it exposes no memory"};
    if (!peer.rma) return {route::am, "the fabric cannot tell when a remote write has arrived"};
    return {route::fabric, "the rank is on another node"};
  }
  if (promised.has(assertion::attach))
    return {route::by_segment, "assertion::attach: memory may be added at any time"};
  if (peer.where != place::private_memory) return {route::load_store, ""};
  if (peer.cma)
    return {route::cma, "its memory is private: use session::alloc_mem to have it mapped"};
  return {route::am, "its memory is private and the kernel refuses process_vm_readv"};
}

// The team as a whole.
struct window_facts {
  flavor how = flavor::allocate;
  int ranks = 1;
  bool one_node = true;
  bool any_private = false;  // some rank's segment is private, and another rank shares its node
  bool neighbours = true;    // some node has several ranks of the team
};

struct window_plan {
  domain atomics = domain::cpu;
  // Ranks that expose private memory need a thread that serves their node's atomics while they
  // compute.
  bool agent = false;
  // Some ranks are reached through the fabric,
  bool far = false;
  // and a thread serves them while the owner computes: epochs that the owner takes no part in.
  bool far_agent = false;
  // Every access is a load or a store: the segment table is complete and shared by the node.
  bool all_mapped = true;
};

// What lets a rank access another while that one computes.
inline constexpr assertion_set passive_target =
    assertion::shared_lock | assertion::exclusive_lock | assertion::notify | assertion::attach;

constexpr window_plan plan_window(assertion_set promised, const window_facts& facts) noexcept {
  window_plan plan;
  plan.agent =
      facts.neighbours && facts.ranks > 1 && (facts.any_private || promised.has(assertion::attach));
  plan.far = !facts.one_node;
  plan.far_agent = plan.far && promised.has_any(passive_target);
  plan.all_mapped = !plan.agent && !plan.far && !promised.has(assertion::attach);
  plan.atomics = plan.agent || plan.far ? domain::owner : domain::cpu;
  return plan;
}

// Why `a` cannot be provided to a team with these facts; empty when it can. `one_private` tells of
// a pair whose target exposes private memory.
constexpr std::string_view refusal(assertion a, const window_facts& facts) noexcept {
  const bool beyond_self = facts.ranks > 1;
  switch (a) {
    case assertion::attach:
      return facts.how == flavor::allocate ? "attach is for windows made by create" : "";
    case assertion::remote_load_store:
      if (!facts.one_node) return "the ranks are on several nodes";
      [[fallthrough]];
    case assertion::node_load_store:
      if (beyond_self && facts.any_private)
        return "the segment is in private memory (session::alloc_mem gives memory that is mapped)";
      return "";
    default:
      return "";
  }
}

}  // namespace oriel::win
