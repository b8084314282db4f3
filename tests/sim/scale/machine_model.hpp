// What a network of a machine costs, for the simulation at scale: the numbers of LogGP (Alexandrov,
// Ionescu, Schauser, Scheiman, SPAA 1995), but that the latency is that of each route, on whose
// links messages meet.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/sim/fabric/traits.hpp"

namespace oriel::sim {

struct route {
  // In one direction, so that what goes the other way is not met. Numbered from 0.
  struct link {
    int number;
    std::chrono::nanoseconds latency;
  };
  std::chrono::nanoseconds adapters{};  // of both, or all of it where no links are known
  std::vector<link> links{};
};

struct machine_model {
  std::string name;
  std::string source;  // of the numbers
  provider_traits provider;
  // Of a processor, for a message that it posts, and for what a look at the provider finds.
  // Assumed, for libfabric over an adapter that works by itself.
  std::chrono::nanoseconds overhead{200};
  // Between two messages of one endpoint, however short.
  std::chrono::nanoseconds gap{5};
  double bytes_a_ns = 12.5;  // of an endpoint, and of a link
  // From one node to another. What it refers to stays as it is.
  std::function<const route&(int, int)> route_between;
};

// "flat": a microsecond between any two. "fat-tree" and "dragonfly" are machines whose routes
// SimGrid knows, of at most so many nodes. Nothing where the name is another, or SimGrid is not
// there, as `why_not` then says.
std::optional<machine_model> machine_named(const std::string& name, int nodes,
                                           std::string& why_not);

// A provider over adapters that work by themselves, as oriel knows it by that name, which refuses
// nothing.
provider_traits adapter_like(const std::string& provider);

// The part of it that SimGrid has (simgrid_machines.cpp, no_simgrid.cpp).
std::optional<machine_model> simgrid_machine(const std::string& name, int nodes,
                                             std::string& why_not);

}  // namespace oriel::sim
