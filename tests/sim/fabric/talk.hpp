// Processes that talk by endpoints over the simulated network, for its tests.
#pragma once

#include <gtest/gtest.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sync/system.hpp"
#include "tests/sim/fabric/network.hpp"
#include "tests/sim/scheduler.hpp"
#include "transport/endpoint.hpp"

namespace oriel::sim {

using transport::context;
using transport::endpoint;
template <class Condition>
void await(Condition condition) {
  while (!condition()) sync::sleep_for(std::chrono::microseconds(20));
}

// Of what a process has begun: how each has ended.
struct ends {
  std::map<const context*, int> failures;
  std::vector<std::uint64_t> data;
  int poll(endpoint& port) {
    return port.poll(
        [this](context& c, std::size_t, int failure) {
          EXPECT_TRUE(failures.emplace(&c, failure).second) << "completed twice";
        },
        [this](std::uint64_t carried) { data.push_back(carried); });
  }
  // Returns libfabric's code.
  int of(endpoint& port, const context& c) {
    await([&] { return poll(port), failures.contains(&c); });
    return failures.extract(&c).mapped();
  }
};

// Tries until the provider takes it.
template <class Post>
int until_taken(endpoint& port, ends& known, Post post) {
  for (int refused = 0;; ++refused) {
    const ssize_t code = post();
    if (code == 0) return refused;
    EXPECT_EQ(code, -FI_EAGAIN);
    known.poll(port);
    sync::yield();
  }
}

// Words of one process that another writes.
struct exposed_words {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(64);
  transport::remote_place place{};
  // Until what is returned goes.
  [[nodiscard]] transport::memory_region open(endpoint& port, int rank) {
    auto region = port.expose(words.data(), words.size() * sizeof(std::uint64_t), 5);
    place = {rank, port.base_for_peers(words.data()), region.key()};
    return region;
  }
};

using part = std::function<void(endpoint&, ends&)>;

// Runs a process for each part, whose endpoints know each other. It polls until all are done.
inline verdict talk(
    std::uint64_t seed, const provider_traits& how, const std::vector<part>& parts,
    const std::function<void(scheduler&)>& plan = [](scheduler&) {}) {
  scheduler run({.seed = seed, .stores = visibility::at_once});
  network wires(run, how, static_cast<int>(parts.size()));
  std::vector<std::string> addresses(parts.size());
  std::size_t done = 0;
  const auto someone_died = [&] { return wires.any_dead(); };
  for (std::size_t p = 0; p < parts.size(); ++p)
    run.start(static_cast<int>(p), "process " + std::to_string(p), [&, p] {
      endpoint port(*transport::usable_providers({}).at(0));
      addresses[p] = port.address();
      await([&] { return !std::count(addresses.begin(), addresses.end(), ""); });
      port.know(static_cast<int>(addresses.size()),
                [&](int r) { return addresses[static_cast<std::size_t>(r)]; });
      ends known;
      parts[p](port, known);
      ++done;
      await([&] { return known.poll(port), done == parts.size() || someone_died(); });
    });
  plan(run);
  return run.run();
}

// Of a provider's that orders and confirms all, or nothing but messages.
inline provider_traits strict() {
  provider_traits t;
  t.order = FI_ORDER_STRICT;
  return t;
}
inline provider_traits loose() {
  provider_traits t;
  t.name = "cxi";
  t.order = FI_ORDER_SAS;
  t.progresses_alone = true;
  return t;
}

}  // namespace oriel::sim
