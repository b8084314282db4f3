// When messages arrive that leave at one moment: those that share a link wait for each other there,
// and others do not.
#include "tests/sim/scale/routed_network.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace oriel::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t bytes = 12500;  // a microsecond of an endpoint, and of a link
constexpr nanoseconds latency = 300ns, adapters = 500ns;

// Ranks 0 and 1 send to ranks 2 and 3, each on its node. The routes have the links `shared` and,
// each for itself, one before and one behind.
std::array<nanoseconds, 2> arrivals(const std::array<int, 2>& shared) {
  machine_model model;
  model.provider = adapter_like("cxi");
  std::array<route, 2> routes;
  for (int i = 0; i < 2; ++i) {
    const auto k = static_cast<std::size_t>(i);
    routes[k].adapters = adapters;
    routes[k].links = {{10 + i, latency}, {shared[k], latency}, {20 + i, latency}};
  }
  model.route_between = [&](int from, int) -> const route& {
    return routes[static_cast<std::size_t>(from)];
  };
  const std::vector<int> nodes{0, 1, 2, 3};
  event_scheduler run(10s, 1us);
  routed_network wires(run, model, nodes);
  std::array<network::domain, 4> memory;
  std::array<network::queue*, 4> queues{};
  std::array<nanoseconds, 2> found{};
  const std::vector<std::byte> source(bytes), sink(bytes);
  for (int r = 0; r < 4; ++r)
    run.start(r, "rank " + std::to_string(r), [&, r] {
      const auto k = static_cast<std::size_t>(r);
      queues[k] = &wires.new_queue();
      EXPECT_EQ(wires.open_port(memory[k]), r);
      wires.bind(r, *queues[k]);
      if (r >= 2) wires.post_receive(r, const_cast<std::byte*>(sink.data()), bytes, nullptr);
      run.sleep("waits until all are there", nullptr, 1ms);
      const nanoseconds begun = run.now();
      if (r < 2) {
        network::packet m;
        m.from = r;
        m.to = r + 2;
        m.source = source.data();
        m.length = bytes;
        return wires.post(std::move(m));
      }
      EXPECT_TRUE(wires.wait(std::span(&queues[k], 1), 1s));
      found[k - 2] = run.now() - begun;
    });
  const verdict v = run.run();
  EXPECT_EQ(v.how, ending::ended) << v.why;
  return found;
}

TEST(RoutedNetwork, MessagesWaitOnALinkThatTheyShare) {
  const nanoseconds alone = 1us + adapters + 3 * latency;
  const auto apart = arrivals({0, 1});
  EXPECT_EQ(apart[0], alone);
  EXPECT_EQ(apart[1], alone);
  const auto met = arrivals({0, 0});
  EXPECT_EQ(met[0], alone) << "the first that comes to it";
  EXPECT_EQ(met[1], alone + 1us) << "by as long as the link is taken";
}

}  // namespace
}  // namespace oriel::sim
