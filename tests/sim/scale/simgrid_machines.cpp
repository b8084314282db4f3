// Machines whose topology is one of SimGrid's: it is asked for the links of each route. Its flows
// are not used: routed_network has messages meet on links.
#include <simgrid/s4u.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "tests/sim/scale/machine_model.hpp"

namespace oriel::sim {
namespace {

namespace s4u = simgrid::s4u;
using std::chrono::nanoseconds;

// The hosts of one zone, which is all there is.
class routes {
 public:
  using zone_maker = s4u::NetZone*(const s4u::ClusterCallbacks& of_hosts, double link_latency);
  routes(zone_maker make, nanoseconds link, nanoseconds adapters)
      : engine_(&argc_, argv_.data()), adapters_(adapters) {
    const s4u::ClusterCallbacks host([this](s4u::NetZone* zone, const std::vector<unsigned long>&,
                                            unsigned long id) {
      hosts_.push_back(zone->create_host("node" + std::to_string(id), 1e9));
      return std::pair<simgrid::kernel::routing::NetPoint*, simgrid::kernel::routing::NetPoint*>(
          hosts_.back()->get_netpoint(), nullptr);
    });
    make(host, std::chrono::duration<double>(link).count())->seal();
    known_.resize(hosts_.size() * hosts_.size());
  }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(hosts_.size()); }
  // Asked once for each pair.
  const route& between(int from, int to) {
    const auto a = static_cast<std::size_t>(from), b = static_cast<std::size_t>(to);
    std::unique_ptr<route>& known = known_[a * hosts_.size() + b];
    if (known != nullptr) return *known;
    known = std::make_unique<route>(route{adapters_});
    if (from == to) return *known;
    std::vector<s4u::Link*> links;
    double seconds = 0;
    hosts_[a]->route_to(hosts_[b], links, &seconds);
    for (const s4u::Link* const l : links) {
      const int number = numbers_.try_emplace(l, static_cast<int>(numbers_.size())).first->second;
      known->links.push_back({number, nanoseconds(std::llround(l->get_latency() * 1e9))});
    }
    return *known;
  }

 private:
  std::array<char, 6> program_{"scale"};
  std::array<char*, 2> argv_{program_.data(), nullptr};
  int argc_ = 1;
  s4u::Engine engine_;
  nanoseconds adapters_;
  std::vector<s4u::Host*> hosts_;
  std::unordered_map<const s4u::Link*, int> numbers_;
  std::vector<std::unique_ptr<route>> known_;  // by both
};

// Summit: switches of 36 ports, 18 nodes at each, three levels without a taper; 4 of its about 14
// director switches' worth. One of a node's two ports of 100 Gb/s.
s4u::NetZone* fat_tree(const s4u::ClusterCallbacks& hosts, double latency) {
  return s4u::create_fatTree_zone("summit", nullptr, {3, {18, 18, 4}, {1, 18, 18}, {1, 1, 1}},
                                  hosts, 12.5e9, latency, s4u::Link::SharingPolicy::SPLITDUPLEX);
}
// Frontier: groups of 32 switches, each of which has a link to each other; 128 nodes a group, each
// with one of its four ports of 200 Gb/s; 10 of its 74 groups.
s4u::NetZone* dragonfly(const s4u::ClusterCallbacks& hosts, double latency) {
  return s4u::create_dragonfly_zone("frontier", nullptr, {{10, 1}, {1, 1}, {32, 1}, 4}, hosts, 25e9,
                                    latency, s4u::Link::SharingPolicy::SPLITDUPLEX);
}

}  // namespace

std::optional<machine_model> simgrid_machine(const std::string& name, int nodes,
                                             std::string& why_not) {
  machine_model m;
  m.name = name;
  std::shared_ptr<routes> known;
  if (name == "fat-tree") {
    m.source = "Summit: a switch takes 90 ns, two adapters 600 ns, 12.5 GB/s";
    m.provider = adapter_like("verbs;ofi_rxm");
    known = std::make_shared<routes>(fat_tree, nanoseconds(90), nanoseconds(600 - 90));
  } else if (name == "dragonfly") {
    m.source = "Frontier: a switch takes 350 ns, two adapters 600 ns, 25 GB/s";
    m.provider = adapter_like("cxi");
    m.bytes_a_ns = 25;
    known = std::make_shared<routes>(dragonfly, nanoseconds(350), nanoseconds(600 - 350));
  } else {
    why_not = "no machine is called " + name;
    return std::nullopt;
  }
  if (nodes > known->size()) {
    why_not = name + " has " + std::to_string(known->size()) + " nodes here";
    return std::nullopt;
  }
  m.route_between = [known](int from, int to) -> const route& { return known->between(from, to); };
  return m;
}

}  // namespace oriel::sim
